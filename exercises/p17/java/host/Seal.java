package host;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** HMAC-SHA-256 by hand: {@code javax.crypto} takes a tenth of a second to be ready. */
final class Seal {
    private static final int BLOCK = 64;

    private final MessageDigest sha256;
    private final byte[] inner = new byte[BLOCK];
    private final byte[] outer = new byte[BLOCK];

    /** A seal with a key in hexadecimal digits. */
    Seal(String key) throws NoSuchAlgorithmException {
        sha256 = MessageDigest.getInstance("SHA-256");
        for (int i = 0; i < BLOCK; i++) {
            int b = 2 * i < key.length() ? Integer.parseInt(key, 2 * i, 2 * i + 2, 16) : 0;
            inner[i] = (byte) (b ^ 0x36);
            outer[i] = (byte) (b ^ 0x5c);
        }
    }

    /** The proof that a line, without its end, comes from one who has the key. */
    String of(String line) {
        sha256.update(inner);
        byte[] digest = sha256.digest(line.getBytes(StandardCharsets.ISO_8859_1));
        sha256.update(outer);
        BigInteger proof = new BigInteger(1, sha256.digest(digest));
        return proof.setBit(256).toString(16).substring(1); // with the zeros that it begins with
    }
}
