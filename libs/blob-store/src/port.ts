// Storage of media bytes: a local directory or a bucket. The bytes under a key are verified before a reader can see them.
import type { Readable } from 'node:stream'

/** What the client announced about the bytes. The store verifies length and hash. */
export interface BlobFacts {
  readonly contentType: string
  readonly contentLength: number
  /** SHA-256 of the bytes in Base64, 44 characters. */
  readonly sha256Hash: string
}

interface StoredBlob {
  readonly contentLength: number
  /** The caller must read the stream to its end or destroy it. */
  readonly content: Readable
}

/** URLs through which clients reach the store directly. */
interface SignedUrls {
  /** Returns a URL that accepts a PUT of exactly these bytes, with the headers Content-Type, Content-Length, and x-amz-checksum-sha256. */
  put(key: string, facts: BlobFacts, expiresInSeconds: number): Promise<string>
  get(key: string, facts: Pick<BlobFacts, 'contentType'>, expiresInSeconds: number): Promise<string>
}

/** A key is a path whose segments consist of letters, digits, `.`, `-`, and `_`. All methods throw `blob_store_unavailable`. */
export interface BlobStore {
  /** Name of the bucket, recorded with every stored object. */
  readonly name: string
  /** Throws `bad_request` and stores nothing when the bytes differ from the announced facts. Rethrows errors of the stream. */
  put(key: string, facts: BlobFacts, content: Readable): Promise<void>
  /** Undefined when nothing is stored under the key. */
  get(key: string): Promise<StoredBlob | undefined>
  /** Returns the length of a stored object, and its hash if the store knows it. */
  facts(key: string): Promise<(Pick<BlobFacts, 'contentLength'> & Partial<Pick<BlobFacts, 'sha256Hash'>>) | undefined>
  /** Ignores keys without an object. */
  remove(keys: readonly string[]): Promise<void>
  /** Null when clients cannot reach the store. */
  readonly signed: SignedUrls | null
}
