// Encrypts user-provided secrets, in v3's format: `iv:ciphertext:tag` in hexadecimal (contract §18.7).
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { AppError } from '@svc-server/errors'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Format of `ENCRYPTION_KEY`: 256 bits in hexadecimal. */
export const encryptionKeyPattern = /^[0-9a-fA-F]{64}$/

export interface CipherKeys {
  /** 64 hexadecimal digits. */
  readonly key: string
  /** Used only for decryption. */
  readonly previous?: readonly string[]
}

export interface Cipher {
  encrypt(text: string): string
  /** Throws `secret_unreadable` if none of the keys can decrypt the text. */
  decrypt(encrypted: string): string
  isCurrent(encrypted: string): boolean
}

/** Decrypts a text. Returns undefined if the text was encrypted with a key other than `key`, or was changed after the encryption. */
function opened(key: Buffer, encrypted: string): string | undefined {
  const [iv, text, tag, ...rest] = encrypted.split(':').map(part => Buffer.from(part, 'hex'))
  if (rest.length > 0 || iv?.length !== ivBytes || text === undefined || tag?.length !== tagBytes) return undefined
  const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes })
  decipher.setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

export function createCipher({ key, previous = [] }: CipherKeys): Cipher {
  const current = Buffer.from(key, 'hex')
  const keys = [current, ...previous.map(each => Buffer.from(each, 'hex'))]
  return {
    encrypt(text) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, current, iv, { authTagLength: tagBytes })
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return [iv, encrypted, cipher.getAuthTag()].map(part => part.toString('hex')).join(':')
    },
    decrypt(encrypted) {
      for (const each of keys) {
        const text = opened(each, encrypted)
        if (text !== undefined) return text
      }
      throw new AppError('secret_unreadable', 'No encryption key of this installation can decrypt a stored secret.')
    },
    isCurrent: encrypted => opened(current, encrypted) !== undefined,
  }
}

/** The same secret always gives the same key. */
export const deriveKey = (secret: string): string => Buffer.from(hkdfSync('sha256', secret, '', 'svc encryption key', 32)).toString('hex')
