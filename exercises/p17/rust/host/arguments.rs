//! The arguments of a call, by their types.

use p17::{DType, Function, Matrix};

use crate::{Failure, Value};

/// Arguments, by their places or by their names.
pub struct Arguments {
    pub(crate) placed: Vec<Value>,
    pub(crate) named: Vec<(String, Value)>,
}

impl Arguments {
    /// The argument of a place and name.
    pub fn get<T: Argument>(&self, place: usize, name: &str) -> Result<T, Failure> {
        let found = self.find(place, name).and_then(T::of);
        found.ok_or_else(|| Failure::exception("TypeError", format!("the argument {}", name)))
    }

    /// The argument of a place and name, if there is one.
    pub fn get_or<T: Argument>(&self, place: usize, name: &str, other: T) -> Result<T, Failure> {
        if self.find(place, name).is_some() {
            self.get(place, name)
        } else {
            Ok(other)
        }
    }

    fn find(&self, place: usize, name: &str) -> Option<&Value> {
        let named = || self.named.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        self.placed.get(place).or_else(named)
    }
}

/// A type that an argument may have.
pub trait Argument: Sized {
    /// None where a value is of another type.
    fn of(value: &Value) -> Option<Self>;
}

macro_rules! arguments {
    ($($kind:ty: $pattern:pat => $made:expr;)*) => {$(
        impl Argument for $kind {
            fn of(value: &Value) -> Option<Self> {
                match value {
                    $pattern => $made,
                    _ => None,
                }
            }
        }
    )*};
}

arguments! {
    bool: Value::Bool(given) => Some(*given);
    usize: Value::Int(number) => usize::try_from(*number).ok();
    DType: Value::DType(dtype) => Some(*dtype);
    Matrix: Value::Matrix(matrix) => Some(matrix.clone());
    Function: Value::Function(function) => Some(function.clone());
}

impl Argument for f64 {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Int(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            _ => None,
        }
    }
}

impl<T: Argument> Argument for Vec<T> {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::List(items) => items.iter().map(T::of).collect(),
            _ => None,
        }
    }
}
