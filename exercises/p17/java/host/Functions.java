package host;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import p17.DType;
import p17.Matrix;

/** The functions that runners are given. */
final class Functions {
    private Functions() {}

    /** How one element of the output is made of the input. */
    private interface Kernel {
        double element(Matrix x, int row, int col);
    }

    /** A function as submissions get to see it: of a class that tells none from another. */
    static final class Given implements UnaryOperator<Matrix> {
        private final Kernel kernel;
        private final EventLog log;

        private Given(Kernel kernel, EventLog log) {
            this.kernel = kernel;
            this.log = log;
        }

        @Override
        public Matrix apply(Matrix x) {
            log.called(this, x);
            Matrix out = Matrix.zeros(x.rows(), x.cols(), x.dtype());
            for (int row = 0; row < x.rows(); row++) {
                for (int col = 0; col < x.cols(); col++) {
                    out.set(row, col, kernel.element(x, row, col));
                }
            }
            return out;
        }
    }

    /** A function by its name; each of its calls is told to the log. */
    static Given make(String name, Map<String, Object> params, EventLog log) {
        return new Given(switch (name) {
            case "affine" -> affine(real(params.get("scale")), real(params.get("shift")));
            case "linear" -> linear(Json.list(params.get("weights")), (DType) params.get("dtype"));
            case "reciprocal" -> (x, row, col) -> 1 / x.get(row, col);
            case "batch_sum" -> Functions::batchSum;
            default -> throw new Fault("kind", "protocol", "message", "no function " + name);
        }, log);
    }

    /** {@code scale * x + shift}, element by element. */
    private static Kernel affine(double scale, double shift) {
        return (x, row, col) -> {
            DType dtype = x.dtype();
            double product = rounded(x.get(row, col) * rounded(scale, dtype), dtype);
            return product + rounded(shift, dtype);
        };
    }

    /** {@code x @ weights}: every row by itself, its elements together. */
    private static Kernel linear(List<Object> weights, DType dtype) {
        return (x, row, col) -> {
            if (x.dtype() != dtype || x.cols() != weights.size()) {
                throw new IllegalArgumentException("fn takes " + dtype + " in " + weights.size()
                        + " columns, not " + x.dtype() + " in " + x.cols());
            }
            double sum = 0;
            for (int k = 0; k < x.cols(); k++) {
                double weight = real(Json.list(weights.get(k)).get(col));
                sum = rounded(sum + rounded(x.get(row, k) * weight, dtype), dtype);
            }
            return sum;
        };
    }

    /** {@code x} plus the sum over the batch: every row depends on all rows of the graph. */
    private static double batchSum(Matrix x, int row, int col) {
        double sum = 0;
        for (int other = 0; other < x.rows(); other++) {
            sum = rounded(sum + x.get(other, col), x.dtype());
        }
        return x.get(row, col) + sum;
    }

    /** What one operation in a dtype gives: a double has digits enough to be rounded once more. */
    private static double rounded(double value, DType dtype) {
        return dtype == DType.FLOAT32 ? (float) value : value;
    }

    private static double real(Object number) {
        return ((Number) number).doubleValue();
    }
}
