import { AppError } from '@svc-server/errors'
import { type Cipher, createCipher, deriveKey, encryptionKeyPattern } from '@svc-server/secrets'
import { mapped, setting, type ValuesOf } from '@svc-server/service/configuration'
import { defineStore, type Store } from '@svc-server/service/store'
import { dataDirectory } from './data-directory/store.ts'

const keyText = { env: 'ENCRYPTION_KEY', valid: '64 hexadecimal digits', pattern: encryptionKeyPattern, optional: true } as const

const previousKeys = mapped(
  setting.secret({
    env: 'ENCRYPTION_KEYS_PREVIOUS',
    valid: '64 hexadecimal digits each, comma-separated',
    pattern: /^[0-9a-fA-F]{64}(\s*,\s*[0-9a-fA-F]{64})*$/,
    optional: true,
    says: 'Previous encryption keys. Until an operator has run svc keys rotate-encryption, the server needs previous keys to decrypt older secrets. Default: no previous keys.',
  }),
  (text = '') => text.split(',').flatMap(key => (key.trim() === '' ? [] : [key.trim()])),
)

const serverVariables = {
  key: setting.secret({
    ...keyText,
    says: 'Key that encrypts the secrets of LLM connections and blob-storage integrations. Use the same key in every process. If not set, the server cannot store these secrets.',
  }),
  previous: previousKeys,
}

const missing = (): never => {
  throw new AppError('encryption_key_missing', 'ENCRYPTION_KEY is not set, so no secret can be stored or read.')
}

/** Without a key, the process starts, but each function of its cipher throws. */
const keyless: Cipher = { encrypt: missing, decrypt: missing, isCurrent: missing }

const cipherOf = ({ key, previous }: ValuesOf<typeof serverVariables>): Cipher =>
  key === undefined ? keyless : createCipher({ key, previous })

export const encryption: Store<Cipher> = defineStore({
  name: 'Encryption',
  variables: serverVariables,
  open: async config => ({ store: cipherOf(config) }),
})

/** Without a configured key, the key is derived from the directory's salt. */
export const embeddedEncryption: Store<Cipher> = defineStore({
  name: 'Encryption',
  needs: { directory: dataDirectory },
  variables: {
    key: setting.secret({
      ...keyText,
      says: 'Key that encrypts the secrets of LLM connections and blob-storage integrations. If not set, the server uses a key in the data directory.',
    }),
    previous: previousKeys,
  },
  open: async ({ key, previous }, { directory }) => {
    const own = deriveKey(directory.secrets.salt)
    // If an operator sets a key, the cipher still decrypts the secrets that were encrypted with the data directory's own key.
    return { store: key === undefined ? createCipher({ key: own, previous }) : createCipher({ key, previous: [...previous, own] }) }
  },
})
