// Watches a certificate and its key on disk, and accepts only pairs that match. Kubernetes replaces both files at once through a symbolic
// link. Other tools write one file after the other.
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isSamePair, type KeyPair, type KeyPairFiles, keyPairOf, type PemPair, unreadable } from './key-pair.ts'

export interface KeyPairWatch {
  readonly current: KeyPair
  /** Explains why the files on disk are not in use; undefined if they are in use. */
  readonly fault: Error | undefined
  /** Reads both files again; never rejects. */
  look(): Promise<void>
}

export interface KeyPairWatchOptions extends KeyPairFiles {
  readonly onReplaced: (pair: KeyPair) => void
  /** Called when the contents of the files cannot be used. Called again only after the contents have changed. */
  readonly onFault: (fault: Error) => void
}

const rereads = 3

async function readPart(variable: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    throw unreadable(variable, file, error)
  }
}

/**
 * Reads the certificate, then the key, and then the certificate a second time. If the two readings of the certificate differ, the function
 * reads the key and the certificate again. Throws `config_invalid`.
 */
export async function readPair({ certFile, keyFile }: KeyPairFiles): Promise<PemPair> {
  let cert = await readPart('SVC_TLS_CERT_FILE', certFile)
  for (let attempt = 1; ; attempt++) {
    const key = await readPart('SVC_TLS_KEY_FILE', keyFile)
    const again = await readPart('SVC_TLS_CERT_FILE', certFile)
    if (again.equals(cert) || attempt === rereads) return { cert: again, key }
    cert = again
  }
}

function readNow(variable: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw unreadable(variable, file, error)
  }
}

/** Throws `config_invalid` if the initial files cannot be used. */
export function watchKeyPair({ onReplaced, onFault, ...files }: KeyPairWatchOptions): KeyPairWatch {
  const first = { cert: readNow('SVC_TLS_CERT_FILE', files.certFile), key: readNow('SVC_TLS_KEY_FILE', files.keyFile) }
  let current = keyPairOf(first, files)
  let fault: Error | undefined
  let refused: PemPair | undefined
  let looking: Promise<void> | undefined

  function tell(error: unknown): void {
    fault = error as Error
    onFault(fault)
  }

  async function lookOnce(): Promise<void> {
    let found: PemPair
    try {
      found = await readPair(files)
    } catch (error) {
      refused = undefined
      if (fault?.message !== (error as Error).message) tell(error)
      return
    }
    if (refused !== undefined && isSamePair(found, refused)) return
    refused = undefined
    if (!isSamePair(found, current)) {
      try {
        current = keyPairOf(found, files)
      } catch (error) {
        refused = found
        return tell(error)
      }
      onReplaced(current)
    }
    fault = undefined
  }

  return {
    get current() {
      return current
    },
    get fault() {
      return fault
    },
    look: () => (looking ??= lookOnce().finally(() => (looking = undefined))),
  }
}
