// A certificate and its key, read from files. A server must never use a half-written pair. It must also never combine the certificate of
// one pair with the key of another pair. This could happen if the pair is replaced between the reads of the two files.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { AppError } from '@svc-server/errors'

export interface KeyPairFiles {
  readonly certFile: string
  readonly keyFile: string
}

export interface PemPair {
  readonly cert: Buffer
  readonly key: Buffer
}

export interface KeyPair extends PemPair {
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** SHA-256 fingerprint of the first certificate, as `openssl x509 -fingerprint` prints it. */
  readonly fingerprint: string
}

const invalid = (variable: string, message: string, cause?: unknown): AppError =>
  new AppError('config_invalid', message, { variable }, cause === undefined ? {} : { cause })

export function unreadable(variable: string, file: string, error: unknown): AppError {
  const { code } = error as NodeJS.ErrnoException
  const why =
    code === 'ENOENT'
      ? 'there is no such file'
      : code === 'EACCES'
        ? 'this user is not allowed to read it'
        : `it cannot be read (${code ?? error})`
  return invalid(variable, `${variable}=${file}: ${why}.`, error)
}

const block = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g

/** A truncated certificate anywhere in the file is an error. */
function certificatesOf(cert: Buffer, { certFile }: KeyPairFiles): readonly X509Certificate[] {
  const text = cert.toString('latin1')
  const blocks = text.match(block) ?? []
  const begun = text.match(/-----BEGIN /g)?.length ?? 0
  if (blocks.length === 0)
    throw invalid('SVC_TLS_CERT_FILE', `SVC_TLS_CERT_FILE=${certFile}: the file contains no complete certificate (PEM).`)
  if (begun !== blocks.length) {
    throw invalid('SVC_TLS_CERT_FILE', `SVC_TLS_CERT_FILE=${certFile}: ${begun - blocks.length} of its blocks are incomplete certificates.`)
  }
  try {
    return blocks.map(each => new X509Certificate(each))
  } catch (error) {
    throw invalid('SVC_TLS_CERT_FILE', `SVC_TLS_CERT_FILE=${certFile}: the file contains a certificate that cannot be read.`, error)
  }
}

function privateKeyOf(key: Buffer, { keyFile }: KeyPairFiles) {
  try {
    return createPrivateKey(key)
  } catch (error) {
    const isEncrypted = (error as NodeJS.ErrnoException).code === 'ERR_MISSING_PASSPHRASE'
    const why = isEncrypted ? 'the key is encrypted; use a key without a passphrase' : 'the file contains no complete private key (PEM)'
    throw invalid('SVC_TLS_KEY_FILE', `SVC_TLS_KEY_FILE=${keyFile}: ${why}.`, error)
  }
}

/** Checks everything that could make a handshake fail. Throws `config_invalid` with the name of the file. */
export function keyPairOf({ cert, key }: PemPair, files: KeyPairFiles): KeyPair {
  const [first] = certificatesOf(cert, files) as readonly [X509Certificate]
  if (!first.checkPrivateKey(privateKeyOf(key, files))) {
    throw invalid(
      'SVC_TLS_KEY_FILE',
      `The key in SVC_TLS_KEY_FILE=${files.keyFile} does not belong to the first certificate in SVC_TLS_CERT_FILE=${files.certFile}.`,
    )
  }
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    const { message } = error as Error
    throw invalid('SVC_TLS_CERT_FILE', `SVC_TLS_CERT_FILE=${files.certFile}: the certificate cannot be used for TLS (${message}).`, error)
  }
  return {
    cert,
    key,
    notBeforeMs: first.validFromDate.getTime(),
    notAfterMs: first.validToDate.getTime(),
    fingerprint: first.fingerprint256,
  }
}

export const isSamePair = (a: PemPair, b: PemPair): boolean => a.cert.equals(b.cert) && a.key.equals(b.key)
