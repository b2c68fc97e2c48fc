// `client.media`: replaces media tags with content.
import { getGlobalLogger, type ParsedMediaReference, type SvcAPIClient } from '@svc/core'
import { downloadBase64 } from './download.ts'
import { parseReference, tagsOf } from './references.ts'

export interface SvcMediaResolveMediaReferencesParams<T> {
  readonly obj: T
  readonly resolveWith: 'base64DataUri'
  /** Maximum depth of searched objects (default 10). */
  readonly maxDepth?: number | undefined
}

export interface MediaManagerParams {
  readonly apiClient: SvcAPIClient
  /** Time limit in seconds (default 5). Applies to each API call, and to the time in which a download makes no progress. */
  readonly timeoutInSeconds?: number | undefined
}

const defaultMaxDepth = 10

export class MediaManager {
  private readonly api: SvcAPIClient
  private readonly timeoutInSeconds: number

  constructor({ apiClient, timeoutInSeconds = 5 }: MediaManagerParams) {
    this.api = apiClient
    this.timeoutInSeconds = timeoutInSeconds
  }

  /**
   * Returns a copy in which data URIs replace the media tags in texts. A tag that cannot be resolved stays unchanged, and a warning is
   * logged.
   */
  async resolveReferences<T>({ obj, maxDepth = defaultMaxDepth }: SvcMediaResolveMediaReferencesParams<T>): Promise<T> {
    return (await this.resolved(obj, maxDepth)) as T
  }

  /** Parses a media tag. Throws if the text is not a media tag. */
  static parseReferenceString(text: string): ParsedMediaReference {
    return parseReference(text)
  }

  private async resolved(value: unknown, depth: number): Promise<unknown> {
    if (typeof value === 'string') return this.resolvedText(value)
    if (typeof value !== 'object' || value === null || depth <= 0) return value
    if (Array.isArray(value)) return Promise.all(value.map(each => this.resolved(each, depth - 1)))
    const entries = Object.entries(value).map(async ([key, each]) => [key, await this.resolved(each, depth - 1)] as const)
    return Object.fromEntries(await Promise.all(entries))
  }

  private async resolvedText(text: string): Promise<string> {
    const resolved = await Promise.all(tagsOf(text).map(async tag => [tag, await this.dataUri(tag)] as const))
    return resolved.reduce((replaced, [tag, uri]) => (uri === undefined ? replaced : replaced.replaceAll(tag, () => uri)), text)
  }

  private async dataUri(tag: string): Promise<string | undefined> {
    try {
      const { mediaId } = parseReference(tag)
      const { url, contentType } = await this.api.media.get(mediaId, {}, { timeoutInSeconds: this.timeoutInSeconds })
      return `data:${contentType};base64,${await downloadBase64(url, this.timeoutInSeconds * 1000)}`
    } catch (error) {
      getGlobalLogger().warn(`The media reference ${tag} cannot be resolved and stays unchanged.`, error)
      return undefined
    }
  }
}
