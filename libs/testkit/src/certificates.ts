// Creates certificates (RFC 5280) by writing their DER. node:crypto can only read certificates, and some machines lack openssl.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface TestCertificate {
  /** PEM. */
  readonly cert: string
  readonly key: string
}

export interface CertificateOptions {
  readonly notBefore?: Date
  readonly notAfter?: Date
}

const hour = 3_600_000

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const oid = (...bytes: readonly number[]) => der(0x06, Buffer.from(bytes))
const utcTime = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().replaceAll(/\D/g, '').slice(2, 14)}Z`))
const bitString = (bytes: Uint8Array) => der(0x03, Buffer.from([0]), bytes)

const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const name = (text: string) => sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(text)))))

const extensions = sequence(
  // basicConstraints: the certificate is its own authority.
  sequence(oid(0x55, 0x1d, 0x13), der(0x01, Buffer.from([0xff])), der(0x04, sequence(der(0x01, Buffer.from([0xff]))))),
  // subjectAltName: localhost, 127.0.0.1.
  sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1]))))),
)

const pem = (label: string, bytes: Buffer) =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replaceAll(/.{64}/g, '$&\n').trim()}\n-----END ${label}-----\n`

/**
 * Creates a self-signed certificate for localhost and 127.0.0.1. A client trusts the server if the client uses the certificate as its
 * authority.
 */
export function makeCertificate({
  notBefore = new Date(Date.now() - hour),
  notAfter = new Date(Date.now() + 24 * hour),
}: CertificateOptions = {}): TestCertificate {
  const { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // The serial number must be positive, and its first byte must not be zero.
  const serial = randomBytes(8)
  serial[0] = (serial[0]! & 0x3f) | 0x40
  const subject = name(`svc test ${serial.toString('hex')}`)
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ecdsaWithSha256,
    subject,
    sequence(utcTime(notBefore), utcTime(notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  return {
    cert: pem('CERTIFICATE', sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, privateKey)))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
