// Storage for the bytes of media: a local directory or a bucket. The bytes under a key are verified before a reader can see them.
import type { Readable } from 'node:stream'

/** The length and hash that the client has announced. The store verifies the length and hash of the bytes. */
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

/** URLs for direct access by clients. */
interface SignedUrls {
  /** Returns a URL that accepts a PUT of exactly these bytes with the headers Content-Type, Content-Length and x-amz-checksum-sha256. */
  put(key: string, facts: BlobFacts, expiresInSeconds: number): Promise<string>
  get(key: string, facts: Pick<BlobFacts, 'contentType'>, expiresInSeconds: number): Promise<string>
}

/** A key is a path whose segments consist of letters, digits, `.`, `-`, and `_`. All methods throw `blob_store_unavailable`. */
export interface BlobStore {
  /** Name of the bucket, which is recorded with every stored object. */
  readonly name: string
  /** If the bytes differ from the announced bytes, throws `bad_request` and stores nothing. Rethrows errors of the stream. */
  put(key: string, facts: BlobFacts, content: Readable): Promise<void>
  /** Returns undefined if the key has no object. */
  get(key: string): Promise<StoredBlob | undefined>
  /** Returns the length of a stored object, and its hash if the store knows it. */
  facts(key: string): Promise<(Pick<BlobFacts, 'contentLength'> & Partial<Pick<BlobFacts, 'sha256Hash'>>) | undefined>
  /** Keys without an object are ignored. */
  remove(keys: readonly string[]): Promise<void>
  /** Null if the store has no URLs for clients. */
  readonly signed: SignedUrls | null
}
