package host;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import jdk.internal.access.SharedSecrets;
import jdk.internal.misc.Signal;

/** Serves requests, a line each, on file descriptor 3. */
final class Main {
    private static final int PIPE = 3;
    private static final int HUNG_UP = 77;

    private Main() {}

    public static void main(String[] args) {
        FileDescriptor pipe = new FileDescriptor();
        SharedSecrets.getJavaIOFileDescriptorAccess().set(pipe, PIPE);
        Host host = new Host();
        Thread thread = Thread.currentThread();
        Signal.handle(new Signal("USR1"), signal -> tellWhere(thread, host));
        try {
            serve(host, new FileInputStream(pipe), new FileOutputStream(pipe));
        } catch (IOException hungUp) {
            // Nobody is there to be told.
        } finally {
            Runtime.getRuntime().halt(HUNG_UP); // asks no thread or hook of the submission's
        }
    }

    private static void serve(Host host, FileInputStream in, FileOutputStream out)
            throws IOException {
        byte[] buffer = new byte[1 << 16];
        int held = 0;
        while (true) {
            int read = in.read(buffer, held, buffer.length - held);
            if (read < 0) {
                return;
            }
            held += read;
            if (buffer[held - 1] == '\n') { // there is never more than one request under way
                out.write(host.answer(new String(buffer, 0, held, StandardCharsets.UTF_8)));
                held = 0;
            } else if (held == buffer.length) {
                buffer = Arrays.copyOf(buffer, 2 * held);
            }
        }
    }

    /** Where in the submission a thread is, innermost first. */
    private static void tellWhere(Thread thread, Host host) {
        StringBuilder said = new StringBuilder();
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (host.isOfSubmission(frame)) {
                said.append("File \"").append(frame.getFileName());
                said.append("\", line ").append(frame.getLineNumber());
                said.append(" in ").append(frame.getMethodName()).append('\n');
            }
        }
        try {
            new FileOutputStream(FileDescriptor.err)
                    .write(said.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException closed) {
            // Nobody listens.
        }
    }
}
