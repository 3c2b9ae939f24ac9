//! What goes in and out of a subject, and how attributes become that, of whatever type they are.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use p17::{CpuGraph, DType, Function, Matrix};

use crate::{Arguments, Failure};

/// An object of the submission.
pub trait Subject {
    /// Call a method.
    fn call(&mut self, method: &str, arguments: &Arguments) -> Result<Value, Failure>;
    /// Read an attribute.
    fn get(&self, name: &str) -> Result<Value, Failure>;
}

/// A value of the protocol.
#[derive(Clone)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    DType(DType),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Matrix(Matrix),
    Graph(CpuGraph),
    Function(Function),
    /// Of the class that the exercise asks for.
    Subject(Rc<RefCell<dyn Subject>>),
}

impl Value {
    /// A map whose keys are texts.
    pub fn map<const N: usize>(fields: [(&str, Value); N]) -> Value {
        let item = |(name, value): (&str, Value)| (Value::Text(name.to_owned()), value);
        Value::Map(fields.into_iter().map(item).collect())
    }
}

/// A type that an attribute of a runner may have.
pub trait Attribute {
    fn value(&self) -> Value;
}

/// Types, and what a value of each is told as.
macro_rules! attributes {
    ($($kind:ty $(where [$($of:tt)*])?: |$this:ident| $value:expr;)*) => {$(
        impl $(<$($of)*>)? Attribute for $kind {
            fn value(&self) -> Value {
                let $this = self;
                $value
            }
        }
    )*};
}

macro_rules! integers {
    ($($kind:ty)*) => {
        attributes! {$(
            $kind: |number| {
                i64::try_from(*number).map_or_else(|_| Value::Text(number.to_string()), Value::Int)
            };
        )*}
    };
}

integers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize }

attributes! {
    Matrix: |matrix| Value::Matrix(matrix.clone());
    CpuGraph: |graph| Value::Graph(graph.clone());
    Option<T> where [T: Attribute]: |some| some.as_ref().map_or(Value::Null, T::value);
    &T where [T: Attribute + ?Sized]: |inner| (**inner).value();
    Box<T> where [T: Attribute + ?Sized]: |inner| (**inner).value();
    Rc<T> where [T: Attribute + ?Sized]: |inner| (**inner).value();
    Cell<T> where [T: Attribute + Copy]: |inner| inner.get().value();
    RefCell<T> where [T: Attribute]: |inner| inner.borrow().value();
    [T] where [T: Attribute]: |items| Value::List(items.iter().map(T::value).collect());
    Vec<T> where [T: Attribute]: |items| items.as_slice().value();
    BTreeMap<K, V> where [K: Attribute, V: Attribute]: |map| {
        Value::Map(map.iter().map(|(key, value)| (key.value(), value.value())).collect())
    };
    HashMap<K, V, S> where [K: Attribute + Ord, V: Attribute, S]: |map| {
        map.iter().collect::<BTreeMap<_, _>>().value()
    };
}
