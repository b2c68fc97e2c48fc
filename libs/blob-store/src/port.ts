// Where the bytes of media are: a directory of this machine, or a bucket. What is stored under a key was verified before a reader can see it.
import type { Readable } from 'node:stream'

/** What was announced of the bytes, and is held against them. */
export interface BlobFacts {
  readonly contentType: string
  readonly contentLength: number
  /** Base64, 44 characters. */
  readonly sha256Hash: string
}

interface StoredBlob {
  readonly contentLength: number
  /** To be read to its end, or destroyed. */
  readonly content: Readable
}

/** URLs by which clients reach the store themselves. */
interface SignedUrls {
  /** For one PUT of exactly these bytes, with the headers Content-Type, Content-Length and x-amz-checksum-sha256. */
  put(key: string, facts: BlobFacts, expiresInSeconds: number): Promise<string>
  get(key: string, facts: Pick<BlobFacts, 'contentType'>, expiresInSeconds: number): Promise<string>
}

/** Keys are paths of letters, digits, `.`, `-` and `_` between slashes. All methods throw `blob_store_unavailable`. */
export interface BlobStore {
  /** Of the bucket; kept with what is stored in it. */
  readonly name: string
  /** Throws `bad_request` for bytes that are not those announced; then nothing is stored. What the stream throws, it throws. */
  put(key: string, facts: BlobFacts, content: Readable): Promise<void>
  /** Undefined: there is nothing under the key. */
  get(key: string): Promise<StoredBlob | undefined>
  /** Of what is stored: its length, and its hash where the store knows it. */
  facts(key: string): Promise<(Pick<BlobFacts, 'contentLength'> & Partial<Pick<BlobFacts, 'sha256Hash'>>) | undefined>
  /** Of keys under which nothing is, nothing happens. */
  remove(keys: readonly string[]): Promise<void>
  /** Null: clients do not reach it. */
  readonly signed: SignedUrls | null
}
