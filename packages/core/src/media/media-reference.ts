// Describes media in a fetched dataset item: the URL of the bytes, and the original reference.
import { bytesToBase64 } from '../base64.ts'

export interface SvcMediaReferenceParams {
  readonly mediaId: string
  readonly contentType: string
  /** A signed URL with a short lifetime. */
  readonly url: string
  /** ISO time. */
  readonly urlExpiry?: string | null | undefined
  readonly contentLength?: number | null | undefined
  /** The item's media tag. */
  readonly referenceString: string
}

export class SvcMediaReference {
  readonly mediaId: string
  readonly contentType: string
  readonly url: string
  readonly urlExpiry: string | undefined
  readonly contentLength: number | undefined
  readonly referenceString: string

  constructor(params: SvcMediaReferenceParams) {
    this.mediaId = params.mediaId
    this.contentType = params.contentType
    this.url = params.url
    this.urlExpiry = params.urlExpiry ?? undefined
    this.contentLength = params.contentLength ?? undefined
    this.referenceString = params.referenceString
  }

  /** Returns the original reference, so that an item keeps its media when it is stored again. */
  toJSON(): string {
    return this.referenceString
  }

  /** True if the URL has expired or will expire within `thresholdSeconds`. False if the expiry time is unknown. */
  isUrlExpired(thresholdSeconds = 60): boolean {
    const expiry = this.urlExpiry === undefined ? Number.NaN : Date.parse(this.urlExpiry)
    return expiry - Date.now() <= thresholdSeconds * 1000
  }

  /** Fetches the content. Rejects if the storage refuses the request. */
  async fetchBytes(): Promise<Uint8Array> {
    const response = await fetch(this.url)
    if (!response.ok) throw new Error(`Media ${this.mediaId} cannot be fetched: its storage responded with status ${response.status}.`)
    return new Uint8Array(await response.arrayBuffer())
  }

  async fetchBase64(): Promise<string> {
    return bytesToBase64(await this.fetchBytes())
  }

  async fetchDataUri(): Promise<string> {
    return `data:${this.contentType};base64,${await this.fetchBase64()}`
  }
}
