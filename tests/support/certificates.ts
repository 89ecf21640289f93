/**
 * Certificates for servers on loopback that a client can verify, made by `openssl` when they are
 * needed: the repository contains no key.
 *
 * @module
 */

/** A server certificate with its key, and the certificate authority that signed it, as PEM. */
export interface TrustedCertificate {
  /** The server certificate. */
  readonly cert: string;
  /** The private key of the server. */
  readonly key: string;
  /** The certificate authority to trust. */
  readonly authority: string;
}

/** Request and extension sections, so that no configuration of the machine applies. */
const CONFIGURATION = `
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1
authorityKeyIdentifier = keyid
`;

/** Arguments that make a P-256 key; the file with the key follows. */
const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout"];

const COMMANDS: readonly (readonly string[])[] = [
  [
    ...["req", "-x509", "-config", "openssl.cnf", "-extensions", "authority", "-days", "2"],
    ...["-subj", "/CN=sitetree test authority", ...NEW_KEY, "authority.key"],
    ...["-out", "authority.pem"],
  ],
  [
    ...["req", "-new", "-config", "openssl.cnf", "-subj", "/CN=localhost"],
    ...[...NEW_KEY, "server.key", "-out", "server.csr"],
  ],
  [
    ...["x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key"],
    ...["-set_serial", "1", "-days", "2", "-extfile", "openssl.cnf", "-extensions", "server"],
    ...["-out", "server.pem"],
  ],
];

let shared: Promise<TrustedCertificate> | undefined;

/** Returns a certificate for `localhost` and 127.0.0.1, the same for all callers. */
export function trustedCertificate(): Promise<TrustedCertificate> {
  return shared ??= makeTrustedCertificate();
}

/**
 * Makes a certificate for `localhost` and 127.0.0.1 in a temporary folder, which is removed.
 *
 * @throws {Error} if `program` is not installed or fails
 */
export async function makeTrustedCertificate(program = "openssl"): Promise<TrustedCertificate> {
  const folder = await Deno.makeTempDir({ prefix: "sitetree-certificates-" });
  try {
    await Deno.writeTextFile(`${folder}/openssl.cnf`, CONFIGURATION);
    for (const args of COMMANDS) await run(program, args, folder);
    const [cert, key, authority] = await Promise.all(
      ["server.pem", "server.key", "authority.pem"].map((name) =>
        Deno.readTextFile(`${folder}/${name}`)
      ),
    );
    return { cert: cert!, key: key!, authority: authority! };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const command = new Deno.Command(program, { args: [...args], cwd, stdin: "null" });
  let output: Deno.CommandOutput;
  try {
    output = await command.output();
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new Error(
      `Cannot make test certificates: "${program}" is not installed (Debian package "openssl")`,
      { cause },
    );
  }
  if (output.success) return;
  const message = new TextDecoder().decode(output.stderr).trim();
  throw new Error(`Cannot make test certificates: "${program} ${args[0]}" failed: ${message}`);
}
