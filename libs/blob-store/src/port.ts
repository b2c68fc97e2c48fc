// Stores media in a local directory or a bucket. The store verifies the bytes before a reader can see them.
import type { Readable } from 'node:stream'

/** The client has announced these values, and the store verifies them. */
export interface BlobFacts {
  readonly contentType: string
  readonly contentLength: number
  /** Base64, 44 characters. */
  readonly sha256Hash: string
}

interface StoredBlob {
  readonly contentLength: number
  /** The caller must read the stream to its end or destroy it. */
  readonly content: Readable
}

interface SignedUrls {
  /**
   * Resolves with a URL for a PUT. The URL accepts only the bytes that `facts` describes. The request needs the headers Content-Type,
   * Content-Length and x-amz-checksum-sha256.
   */
  put(key: string, facts: BlobFacts, expiresInSeconds: number): Promise<string>
  get(key: string, facts: Pick<BlobFacts, 'contentType'>, expiresInSeconds: number): Promise<string>
}

/** A key is a path whose segments consist of letters, digits, `.`, `-`, and `_`. All methods throw `blob_store_unavailable`. */
export interface BlobStore {
  /** Recorded with every stored object. */
  readonly name: string
  /**
   * If the length or the hash of `content` differs from `facts`, throws `bad_request` and stores nothing. Rethrows errors of the stream.
   */
  put(key: string, facts: BlobFacts, content: Readable): Promise<void>
  /** Resolves with undefined if the key has no object. */
  get(key: string): Promise<StoredBlob | undefined>
  /** Resolves with the size of an object, and with its hash if the store knows the hash. */
  facts(key: string): Promise<(Pick<BlobFacts, 'contentLength'> & Partial<Pick<BlobFacts, 'sha256Hash'>>) | undefined>
  /** Ignores keys without an object. */
  remove(keys: readonly string[]): Promise<void>
  /** Creates URLs for direct access by clients. Null if the store cannot create such URLs. */
  readonly signed: SignedUrls | null
}
