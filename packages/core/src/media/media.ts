// Represents content that is too large for span attributes, such as images, audio and documents. The span contains a tag in place of the
// bytes, which are uploaded once.
import { base64ToBytes, bytesToBase64 } from '../base64.ts'
import { getGlobalLogger } from '../logging/logger.ts'

export type SvcMediaParams =
  | { readonly source: 'base64_data_uri'; readonly base64DataUri: string }
  | { readonly source: 'bytes'; readonly contentBytes: Uint8Array; readonly contentType: string }

/** The parts of a media tag. */
export interface ParsedMediaReference {
  mediaId: string
  source: string
  contentType: string
}

interface Content {
  readonly bytes: Uint8Array
  readonly type: string
}

/** A media id is the content's SHA-256 in base64, cut to this number of characters. */
const idLength = 22

/** Throws if the text is not a base64 data URI. */
function contentOf(dataUri: string): Content {
  if (typeof dataUri !== 'string' || !dataUri.startsWith('data:')) throw new Error('The text does not begin with "data:".')
  const comma = dataUri.indexOf(',')
  if (comma === -1) throw new Error('The data URI has no comma before its data.')
  const [type, ...parameters] = dataUri.slice('data:'.length, comma).split(';')
  if (!type) throw new Error('The data URI has no content type.')
  if (!parameters.includes('base64')) throw new Error('The data of the data URI is not base64.')
  return { bytes: base64ToBytes(dataUri.slice(comma + 1)), type }
}

export class SvcMedia {
  readonly _contentBytes: Uint8Array | undefined
  readonly _contentType: string | undefined
  readonly _source: SvcMediaParams['source'] | undefined

  /**
   * Creates the media object from bytes with their content type, or from a base64 data URI. If the data cannot be decoded, an error is
   * logged, and the object has no content.
   */
  constructor(params: SvcMediaParams) {
    if (params.source === 'bytes') {
      this._contentBytes = params.contentBytes
      this._contentType = params.contentType
      this._source = 'bytes'
      return
    }
    try {
      const { bytes, type } = contentOf(params.base64DataUri)
      this._contentBytes = bytes
      this._contentType = type
      this._source = 'base64_data_uri'
    } catch (error) {
      getGlobalLogger().error('The media has no content: its data URI cannot be read.', error)
    }
  }

  /** Number of bytes of the content. */
  get contentLength(): number | undefined {
    return this._contentBytes?.length
  }

  /** Returns the SHA-256 of the content. The hash is in standard base64. */
  async getSha256Hash(): Promise<string | undefined> {
    if (!this._contentBytes) return undefined
    try {
      return bytesToBase64(new Uint8Array(await crypto.subtle.digest('SHA-256', this._contentBytes as Uint8Array<ArrayBuffer>)))
    } catch (error) {
      getGlobalLogger().warn('The media has no id: its content cannot be hashed.', error)
      return undefined
    }
  }

  /** Id of the content. Equal contents have equal ids. */
  async getId(): Promise<string | null> {
    const hash = await this.getSha256Hash()
    return hash ? hash.replaceAll('+', '-').replaceAll('/', '_').slice(0, idLength) : null
  }

  /** Returns the text that replaces the content in an attribute. */
  async getTag(): Promise<string | null> {
    const id = await this.getId()
    if (!id || !this._contentType || !this._source) return null
    return `@@@svcMedia:type=${this._contentType}|id=${id}|source=${this._source}@@@`
  }

  get base64DataUri(): string | null {
    if (!this._contentBytes || !this._contentType) return null
    return `data:${this._contentType};base64,${bytesToBase64(this._contentBytes)}`
  }

  /** Returns the media as a data URI. The span processor later replaces this data URI with a tag. */
  toJSON(): string | null {
    return this.base64DataUri
  }
}
