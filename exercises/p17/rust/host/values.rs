//! Values as the protocol spells them, and the objects of this process that they tell of.

use std::collections::HashMap;
use std::rc::Rc;

use p17::{DType, Matrix};

use crate::base64;
use crate::json::Json;
use crate::{Arguments, Failure, Value};

/// The objects that the grader has been told of, each under a number, its ref.
pub struct Values {
    /// What objects of the submission are called.
    class: &'static str,
    /// Held, so that no other object gets the place of one of them.
    held: Vec<Value>,
    refs: HashMap<usize, usize>,
}

impl Values {
    pub fn new(class: &'static str) -> Values {
        Values { class, held: Vec::new(), refs: HashMap::new() }
    }

    /// Begin anew. Returns all objects that there were, to be let go of.
    pub fn forget(&mut self) -> Vec<Value> {
        self.refs.clear();
        std::mem::take(&mut self.held)
    }

    /// The object that a field of a request names.
    pub fn object(&self, number: &Json) -> Result<Value, Failure> {
        let found = number.as_size().and_then(|number| self.held.get(number));
        found.cloned().ok_or_else(|| Failure::protocol("no object has this ref"))
    }

    /// The tensor that a field of a request names.
    pub fn matrix(&self, number: &Json) -> Result<Matrix, Failure> {
        match self.object(number)? {
            Value::Matrix(matrix) => Ok(matrix),
            _ => Err(Failure::protocol("this ref is no tensor's")),
        }
    }

    /// The arguments of a call, and those by name.
    pub fn arguments(&self, placed: &Json, named: &Json) -> Result<Arguments, Failure> {
        let placed = placed.items().iter().map(|value| self.build(value)).collect::<Result<_, _>>();
        let named =
            named.fields().iter().map(|(name, value)| Ok((name.clone(), self.build(value)?)));
        Ok(Arguments { placed: placed?, named: named.collect::<Result<_, Failure>>()? })
    }

    /// A value of the protocol as a value of this process.
    pub fn build(&self, value: &Json) -> Result<Value, Failure> {
        Ok(match value {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Int(number) => Value::Int(*number),
            Json::Text(text) => Value::Text(text.clone()),
            Json::List(items) => {
                Value::List(items.iter().map(|item| self.build(item)).collect::<Result<_, _>>()?)
            }
            Json::Map(_) => match value.get("$").as_str() {
                "ref" => self.object(value.get("ref"))?,
                "float" => {
                    let number = value.get("value").as_str().parse();
                    Value::Float(number.map_err(|_| Failure::protocol("no float"))?)
                }
                "dtype" => Value::DType(dtype_of(value.get("name").as_str())?),
                "tensor" => Value::Matrix(tensor(value)?),
                tag => return Err(Failure::protocol(format!("unknown value {:?}", tag))),
            },
        })
    }

    /// A value of this process, as it is now, as a value of the protocol.
    pub fn describe(&mut self, value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Int(number) => Json::Int(*number),
            Value::Float(number) => {
                let text = format!("{:?}", number).to_lowercase();
                Json::tagged("float", [("value", Json::Text(text))])
            }
            Value::Text(text) => Json::text(text),
            Value::DType(dtype) => Json::tagged("dtype", [("name", Json::text(dtype.to_string()))]),
            Value::List(items) => {
                Json::List(items.iter().map(|item| self.describe(item)).collect())
            }
            Value::Map(items) => {
                let mut pair =
                    |(key, value)| Json::List(vec![self.describe(key), self.describe(value)]);
                let items = items.iter().map(|(key, value)| pair((key, value))).collect();
                Json::tagged("map", [("items", Json::List(items))])
            }
            Value::Matrix(matrix) => {
                let number = self.number(matrix.id(), value);
                let mut told = Json::tagged("tensor", [("ref", number)]);
                layout(matrix).into_iter().for_each(|(name, field)| told.put(name, field));
                told.put("data", Json::Text(base64::encode(&matrix.to_bytes())));
                told
            }
            Value::Graph(graph) => self.object_of("CpuGraph", graph.id(), value),
            Value::Function(function) => {
                self.object_of("Function", Rc::as_ptr(function) as *const () as usize, value)
            }
            Value::Subject(subject) => {
                self.object_of(self.class, Rc::as_ptr(subject) as *const () as usize, value)
            }
        }
    }

    fn object_of(&mut self, class: &str, id: usize, value: &Value) -> Json {
        let number = self.number(id, value);
        Json::tagged("object", [("ref", number), ("type", Json::text(class))])
    }

    /// The number of an object.
    fn number(&mut self, id: usize, value: &Value) -> Json {
        let number = *self.refs.entry(id).or_insert(self.held.len());
        if number == self.held.len() {
            self.held.push(value.clone());
        }
        Json::Int(number as i64)
    }
}

/// A new matrix from a tensor value, laid out by its `strides` where it has any.
pub fn tensor(value: &Json) -> Result<Matrix, Failure> {
    let dtype = dtype_of(value.get("dtype").as_str())?;
    let numbers = |name| value.get(name).items().iter().map(Json::as_size).collect();
    let shape: Option<Vec<usize>> = numbers("shape");
    let (rows, cols) = match shape.as_deref() {
        Some([rows, cols]) => (*rows, *cols),
        _ => return Err(Failure::exception("TypeError", "a matrix has two dimensions")),
    };
    let strides: Option<Vec<usize>> = numbers("strides");
    let strides = match strides.as_deref() {
        Some([to_row, to_col]) => (*to_row, *to_col),
        _ => (cols, 1),
    };
    let data = base64::decode(value.get("data").as_str());
    let data = data.filter(|data| Some(data.len()) == size_of(rows, cols, dtype));
    let data = data.ok_or_else(|| Failure::protocol("a tensor of another size"))?;
    let matrix = Matrix::laid_out(rows, cols, dtype, strides);
    matrix.set_bytes(&data);
    Ok(matrix)
}

fn size_of(rows: usize, cols: usize, dtype: DType) -> Option<usize> {
    rows.checked_mul(cols)?.checked_mul(dtype.size())
}

fn dtype_of(name: &str) -> Result<DType, Failure> {
    let found = [DType::Float32, DType::Float64].into_iter().find(|one| one.to_string() == name);
    found.ok_or_else(|| Failure::exception("TypeError", format!("a matrix holds no {}", name)))
}

/// What there is to tell of a matrix beside its elements.
fn layout(matrix: &Matrix) -> [(&'static str, Json); 5] {
    let numbers = |(a, b)| Json::List([a, b].map(|number: usize| Json::Int(number as i64)).into());
    [
        ("dtype", Json::text(matrix.dtype().to_string())),
        ("shape", numbers((matrix.rows(), matrix.cols()))),
        ("strides", numbers(matrix.strides())),
        ("offset", Json::Int(matrix.offset() as i64)),
        ("storage", numbers(matrix.storage())),
    ]
}
