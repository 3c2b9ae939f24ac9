//! Matrices that share memory: a view of rows is on the same elements.

use std::cell::Cell;
use std::fmt;
use std::ops::{Bound, RangeBounds};
use std::rc::Rc;

/// What the elements of a matrix are, all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DType {
    Float32,
    Float64,
}

impl DType {
    /// Bytes of an element.
    pub fn size(self) -> usize {
        match self {
            DType::Float32 => 4,
            DType::Float64 => 8,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            DType::Float32 => "float32",
            DType::Float64 => "float64",
        })
    }
}

/// Memory, which views share. `Cell`, for all of them may write to it.
enum Storage {
    Float32(Box<[Cell<f32>]>),
    Float64(Box<[Cell<f64>]>),
}

impl Storage {
    fn zeros(len: usize, dtype: DType) -> Storage {
        match dtype {
            DType::Float32 => Storage::Float32(vec![Cell::new(0.0); len].into()),
            DType::Float64 => Storage::Float64(vec![Cell::new(0.0); len].into()),
        }
    }

    fn get(&self, place: usize) -> f64 {
        match self {
            Storage::Float32(cells) => cells[place].get().into(),
            Storage::Float64(cells) => cells[place].get(),
        }
    }

    fn set(&self, place: usize, value: f64) {
        match self {
            Storage::Float32(cells) => cells[place].set(value as f32),
            Storage::Float64(cells) => cells[place].set(value),
        }
    }
}

/// Which elements of a storage a matrix has.
struct View {
    storage: Rc<Storage>,
    offset: usize,
    rows: usize,
    cols: usize,
    strides: (usize, usize),
}

/// A matrix of `float32` or `float64`. It is a handle, as `Rc` is: a clone of it is the same
/// matrix, on the same memory. `deep_copy` makes another one.
///
/// The elements can be written through a shared reference. Elements go in and out as `f64`; what a
/// `float32` matrix is given is rounded.
#[derive(Clone)]
pub struct Matrix(Rc<View>);

impl Matrix {
    /// A matrix full of zeros, row by row in memory of its own.
    #[track_caller]
    pub fn zeros(rows: usize, cols: usize, dtype: DType) -> Matrix {
        Matrix::laid_out(rows, cols, dtype, (cols, 1))
    }

    /// A matrix full of zeros in memory of its own.
    ///
    /// # Arguments
    /// * `strides` - how many elements further the next row and the next column begin.
    #[track_caller]
    pub fn laid_out(rows: usize, cols: usize, dtype: DType, strides: (usize, usize)) -> Matrix {
        let len = extent(rows, cols, strides).expect("a matrix too large for any memory");
        let storage = Rc::new(Storage::zeros(len, dtype));
        Matrix(Rc::new(View { storage, offset: 0, rows, cols, strides }))
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.0.rows
    }

    /// How many columns there are.
    pub fn cols(&self) -> usize {
        self.0.cols
    }

    /// What its elements are.
    pub fn dtype(&self) -> DType {
        match *self.0.storage {
            Storage::Float32(_) => DType::Float32,
            Storage::Float64(_) => DType::Float64,
        }
    }

    /// How many elements further in memory the next row and the next column begin.
    pub fn strides(&self) -> (usize, usize) {
        self.0.strides
    }

    /// How many elements of the memory are before the first one.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The memory that the matrix lies in: address, and number of bytes.
    pub fn storage(&self) -> (usize, usize) {
        let (start, len) = match &*self.0.storage {
            Storage::Float32(cells) => (cells.as_ptr() as usize, cells.len()),
            Storage::Float64(cells) => (cells.as_ptr() as usize, cells.len()),
        };
        (start, len * self.dtype().size())
    }

    /// Whether both lie in the same memory.
    pub fn shares_storage(&self, other: &Matrix) -> bool {
        Rc::ptr_eq(&self.0.storage, &other.0.storage) && self.storage().1 > 0
    }

    /// A number that all handles of this matrix have, and no other matrix meanwhile. Another view
    /// of the same rows has another.
    pub fn id(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }

    /// Some of the rows, as a view: nothing is copied.
    ///
    /// # Panics
    /// There are not so many rows, or the range ends before it begins.
    #[track_caller]
    pub fn row_range(&self, range: impl RangeBounds<usize>) -> Matrix {
        let begin = match range.start_bound() {
            Bound::Included(&first) => first,
            Bound::Excluded(&before) => before + 1,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last + 1,
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.rows(),
        };
        if begin > end || end > self.rows() {
            panic!("rows {}..{} of a matrix of {} rows", begin, end, self.rows());
        }
        let View { cols, strides, .. } = *self.0;
        let (storage, rows) = (Rc::clone(&self.0.storage), end - begin);
        let offset = if rows > 0 { self.0.offset + begin * strides.0 } else { self.0.offset };
        Matrix(Rc::new(View { storage, offset, rows, cols, strides }))
    }

    /// Another matrix of the same content, row by row in memory of its own.
    pub fn deep_copy(&self) -> Matrix {
        let copy = Matrix::zeros(self.rows(), self.cols(), self.dtype());
        copy.copy_from(self);
        copy
    }

    /// Overwrite all elements by those of another matrix, which may lie in the same memory.
    ///
    /// # Panics
    /// The other matrix has another shape or dtype.
    #[track_caller]
    pub fn copy_from(&self, other: &Matrix) {
        if self.form() != other.form() {
            panic!("copy_from: a {} cannot be copied into a {}", other.title(), self.title());
        }
        let (to, from) = (self.places(), other.places());
        match (&*self.0.storage, &*other.0.storage) {
            (Storage::Float32(target), Storage::Float32(source)) => copy(target, to, source, from),
            (Storage::Float64(target), Storage::Float64(source)) => copy(target, to, source, from),
            _ => unreachable!("both have one dtype"),
        }
    }

    /// Set all elements to one value.
    pub fn fill(&self, value: f64) {
        self.places().for_each(|place| self.0.storage.set(place, value));
    }

    /// An element.
    ///
    /// # Panics
    /// There is none such.
    #[track_caller]
    pub fn get(&self, row: usize, col: usize) -> f64 {
        self.0.storage.get(self.place(row, col))
    }

    /// Set an element.
    ///
    /// # Panics
    /// There is none such.
    #[track_caller]
    pub fn set(&self, row: usize, col: usize, value: f64) {
        self.0.storage.set(self.place(row, col), value);
    }

    /// All elements, row by row, little-endian, bit for bit.
    pub fn to_bytes(&self) -> Vec<u8> {
        match &*self.0.storage {
            Storage::Float32(cells) => {
                self.places().flat_map(|place| cells[place].get().to_le_bytes()).collect()
            }
            Storage::Float64(cells) => {
                self.places().flat_map(|place| cells[place].get().to_le_bytes()).collect()
            }
        }
    }

    /// Overwrite all elements by what `to_bytes` gave.
    ///
    /// # Panics
    /// There are more bytes, or fewer, than the matrix has.
    #[track_caller]
    pub fn set_bytes(&self, bytes: &[u8]) {
        let size = self.dtype().size();
        let wanted = self.rows() * self.cols() * size;
        assert_eq!(bytes.len(), wanted, "bytes for a {}", self.title());
        for (place, element) in self.places().zip(bytes.chunks_exact(size)) {
            match &*self.0.storage {
                Storage::Float32(cells) => {
                    cells[place].set(f32::from_le_bytes(element.try_into().unwrap()));
                }
                Storage::Float64(cells) => {
                    cells[place].set(f64::from_le_bytes(element.try_into().unwrap()));
                }
            }
        }
    }

    /// Shape and dtype.
    pub(crate) fn form(&self) -> (usize, usize, DType) {
        (self.rows(), self.cols(), self.dtype())
    }

    /// Shape and dtype in words.
    pub(crate) fn title(&self) -> String {
        format!("{} matrix of {} x {}", self.dtype(), self.rows(), self.cols())
    }

    #[track_caller]
    fn place(&self, row: usize, col: usize) -> usize {
        if row >= self.rows() || col >= self.cols() {
            panic!("row {}, column {} of a {}", row, col, self.title());
        }
        let (row_stride, col_stride) = self.0.strides;
        self.0.offset + row * row_stride + col * col_stride
    }

    /// Where in memory the elements are, row by row.
    fn places(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.rows()).flat_map(move |row| (0..self.cols()).map(move |col| self.place(row, col)))
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let element = |row, col| match self.dtype() {
            DType::Float32 => format!("{:?}", self.get(row, col) as f32),
            DType::Float64 => format!("{:?}", self.get(row, col)),
        };
        let elements = |row| (0..self.cols()).map(move |col| element(row, col)).collect::<Vec<_>>();
        let rows = (0..self.rows()).map(|row| format!("[{}]", elements(row).join(", ")));
        write!(f, "{} [{}]", self.dtype(), rows.collect::<Vec<_>>().join(", "))
    }
}

/// How many elements of memory it takes to lay a matrix out; None where no number is so large.
fn extent(rows: usize, cols: usize, strides: (usize, usize)) -> Option<usize> {
    if rows == 0 || cols == 0 {
        return Some(0);
    }
    let to_last_row = (rows - 1).checked_mul(strides.0)?;
    let to_last_col = (cols - 1).checked_mul(strides.1)?;
    to_last_row.checked_add(to_last_col)?.checked_add(1)
}

fn copy<T: Copy>(
    target: &[Cell<T>],
    to: impl Iterator<Item = usize>,
    source: &[Cell<T>],
    from: impl Iterator<Item = usize>,
) {
    // All is read before anything is written: both may be the same memory.
    let values: Vec<T> = from.map(|place| source[place].get()).collect();
    to.zip(values).for_each(|(place, value)| target[place].set(value));
}
