//! The protocol: a request a line, and a reply to it, sealed.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::io::FromRawFd;
use std::process;
use std::rc::Rc;

use p17::observer::observe;

use crate::base64::{from_hex, to_hex};
use crate::failure::{caught, note_panics};
use crate::functions::function;
use crate::json::Json;
use crate::record::Record;
use crate::sha256::hmac;
use crate::values::{self, Values};
use crate::{Arguments, Failure, Subject, Value};

const VERSION: i64 = 1;

/// The file descriptor of the pipe to the grading side.
const PIPE: i32 = 3;

/// The exit code of a host whose pipe was cut.
const HUNG_UP: i32 = 77;

/// What `rustc --version` says, `rustc 1.63.0 (…)`.
const COMPILER: &str = include_str!("../prepared/rustc.txt");

/// How an object of the submission is made.
pub type Make = fn(&Arguments) -> Result<Rc<RefCell<dyn Subject>>, Failure>;

/// Answer requests until there are no more.
///
/// # Arguments
/// * `class` - what the objects are called.
/// * `make` - makes one.
///
/// # Panics
/// It is called a second time.
pub fn serve(class: &'static str, make: Make) -> ! {
    let values = RefCell::new(Values::new(class));
    let record = Rc::new(Record { values, log: RefCell::default() });
    observe(record.clone());
    note_panics();
    // The launcher has left the pipe there, and nobody else in this process knows of it.
    let pipe = unsafe { File::from_raw_fd(PIPE) };
    let mut host = Host { make, record, watched: Vec::new(), file: String::new(), key: Vec::new() };
    let _ = host.answer_all(&pipe);
    process::exit(HUNG_UP)
}

struct Host {
    make: Make,
    record: Rc<Record>,
    /// Attributes that are told with every reply to a call on an object, by its ref.
    watched: Vec<(usize, Vec<String>)>,
    /// The submission's, as its panics name it.
    file: String,
    key: Vec<u8>,
}

type Told = Result<Json, Failure>;

impl Host {
    fn answer_all(&mut self, pipe: &File) -> io::Result<()> {
        let mut requests = BufReader::new(pipe);
        let mut line = Vec::new();
        while requests.read_until(b'\n', &mut line)? > 0 {
            let request = Json::read(&line).ok_or(io::ErrorKind::InvalidData)?;
            let sealing = self.key.clone();
            let mut reply = String::new();
            self.reply(&request).write(&mut reply);
            if !sealing.is_empty() {
                let proof = to_hex(&hmac(&sealing, reply.as_bytes()));
                reply = format!("{} {}", proof, reply);
            }
            reply.push('\n');
            let mut pipe = pipe;
            pipe.write_all(reply.as_bytes())?;
            line.clear();
        }
        Ok(())
    }

    fn reply(&mut self, request: &Json) -> Json {
        let told = self.answer(request);
        let mut reply = Json::map([("id", request.get("id").clone())]);
        match told {
            Ok(value) => reply.put("value", value),
            Err(failure) => reply.put("error", Json::map(failure.fields())),
        }
        if let Some(after) = self.after(request) {
            reply.put("after", after);
        }
        reply.put("events", self.record.log.borrow_mut().take());
        // What the submission has printed is read with the reply.
        let _ = io::stdout().flush();
        reply
    }

    fn answer(&mut self, request: &Json) -> Told {
        match request.get("op").as_str() {
            "hello" => Ok(hello()),
            "seal" => self.seal(request),
            "load" => self.load(request),
            "forget" => self.forget(),
            "function" => self.function(request),
            "tensor" => {
                let matrix = values::tensor(request.get("value"))?;
                Ok(self.record.describe_matrix(&matrix))
            }
            "new" => self.new_object(request),
            "call" => self.call(request),
            "get" => {
                let name = request.get("name").as_str();
                self.attribute(&self.object(request)?, name)
            }
            "read" => Ok(self.record.describe(&self.object(request)?)),
            "write" => self.write(request),
            "shares_storage" => {
                let values = self.record.values.borrow();
                let a = values.matrix(request.get("a"))?;
                Ok(Json::Bool(a.shares_storage(&values.matrix(request.get("b"))?)))
            }
            op => Err(Failure::protocol(format!("unknown op {:?}", op))),
        }
    }

    fn seal(&mut self, request: &Json) -> Told {
        let key = from_hex(request.get("key").as_str());
        self.key = key.ok_or_else(|| Failure::protocol("no key"))?;
        Ok(Json::Null)
    }

    /// The submission is linked to this program: it needs no loading.
    fn load(&mut self, request: &Json) -> Told {
        let path = request.get("path").as_str();
        self.file = path.rsplit('/').next().unwrap_or(path).to_owned();
        self.forget()
    }

    fn forget(&mut self) -> Told {
        self.watched.clear();
        let held = self.record.values.borrow_mut().forget();
        caught(&self.file, || drop(held)).map(|()| Json::Null)
    }

    fn function(&mut self, request: &Json) -> Told {
        let params = self.arguments(&Json::Null, request.get("params"))?;
        let made = function(request.get("name").as_str(), &params, &self.record)?;
        Ok(self.record.describe(&Value::Function(made)))
    }

    fn new_object(&mut self, request: &Json) -> Told {
        let arguments = self.arguments(request.get("args"), request.get("kwargs"))?;
        let made = caught(&self.file, || (self.make)(&arguments))??;
        let told = self.record.describe(&Value::Subject(made));
        let names = request.get("watch").items();
        if let (Some(number), false) = (told.get("ref").as_size(), names.is_empty()) {
            let names = names.iter().map(|name| name.as_str().to_owned());
            self.watched.push((number, names.collect()));
        }
        Ok(told)
    }

    fn call(&mut self, request: &Json) -> Told {
        let arguments = self.arguments(request.get("args"), request.get("kwargs"))?;
        let value = match (self.object(request)?, request.get("method")) {
            (Value::Subject(subject), Json::Text(method)) => {
                caught(&self.file, || subject.borrow_mut().call(method, &arguments))??
            }
            (Value::Function(function), Json::Null) => {
                let x = arguments.get(0, "x")?;
                Value::Matrix(caught(&self.file, || function(&x))?)
            }
            _ => return Err(Failure::protocol("there is no such thing to call")),
        };
        Ok(self.record.describe(&value))
    }

    /// What watched attributes hold; None where there are none.
    fn after(&self, request: &Json) -> Option<Json> {
        if request.get("op").as_str() != "call" {
            return None;
        }
        let number = request.get("ref").as_size()?;
        let (_, names) = self.watched.iter().find(|(watched, _)| *watched == number)?;
        let object = self.object(request).ok()?;
        let told = |name: &String| match self.attribute(&object, name) {
            Ok(value) => (name.clone(), value),
            Err(failure) => (name.clone(), Json::tagged("error", failure.fields())),
        };
        Some(Json::Map(names.iter().map(told).collect()))
    }

    fn attribute(&self, object: &Value, name: &str) -> Told {
        match object {
            Value::Subject(subject) => {
                let value = caught(&self.file, || subject.borrow().get(name))??;
                Ok(self.record.describe(&value))
            }
            _ => Err(Failure::no_such(name)),
        }
    }

    fn write(&self, request: &Json) -> Told {
        let target = self.record.values.borrow().matrix(request.get("ref"))?;
        let source = values::tensor(request.get("value"))?;
        caught(&self.file, || target.copy_from(&source)).map(|()| Json::Null)
    }

    fn object(&self, request: &Json) -> Result<Value, Failure> {
        self.record.values.borrow().object(request.get("ref"))
    }

    fn arguments(&self, placed: &Json, named: &Json) -> Result<Arguments, Failure> {
        self.record.values.borrow().arguments(placed, named)
    }
}

fn hello() -> Json {
    let version = COMPILER.split(' ').nth(1).unwrap_or(COMPILER);
    let facts = [
        ("protocol", Json::Int(VERSION)),
        ("language", Json::text("rust")),
        ("runtime", Json::text(version)),
    ];
    let items = facts.map(|(name, fact)| Json::List(vec![Json::text(name), fact]));
    Json::tagged("map", [("items", Json::List(items.into()))])
}
