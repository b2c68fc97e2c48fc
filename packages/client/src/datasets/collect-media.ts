import { getGlobalLogger, SvcMedia, SvcMediaReference } from '@svc/core'

const maxDepth = 20

export interface FoundMedia {
  readonly media: SvcMedia
  readonly field: string
}

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Replaces media in an item's fields with tags, and collects the media. */
export class MediaCollector {
  /** Media by their id. Equal contents have the same id, so they are uploaded only once. */
  readonly found: Map<string, FoundMedia> = new Map()
  private hasWarned = false

  /** Returns the value with tags instead of media. Throws for media without content. */
  async withTags(value: unknown, field: string, depth = 0, above: readonly object[] = []): Promise<unknown> {
    if (value instanceof SvcMedia) return this.tag(value, field)
    if (value instanceof SvcMediaReference) return value.referenceString
    if (typeof value !== 'object' || value === null || above.includes(value)) return value
    const isList = Array.isArray(value)
    if (!isList && !isPlain(value)) return value
    if (depth >= maxDepth) return this.tooDeep(value, field)
    const within = [...above, value]
    if (isList) return Promise.all(value.map(each => this.withTags(each, field, depth + 1, within)))
    const entries = Object.entries(value).map(async ([key, each]) => [key, await this.withTags(each, field, depth + 1, within)] as const)
    return Object.fromEntries(await Promise.all(entries))
  }

  private async tag(media: SvcMedia, field: string): Promise<string> {
    const [tag, id] = [await media.getTag(), await media.getId()]
    if (tag === null || id === null) throw new Error(`The media in '${field}' has no content. Check the data from which it was created.`)
    if (!this.found.has(id)) this.found.set(id, { media, field })
    return tag
  }

  private tooDeep(value: object, field: string): object {
    if (!this.hasWarned) getGlobalLogger().warn(`'${field}' has more than ${maxDepth} levels. Media below them is not uploaded.`)
    this.hasWarned = true
    return value
  }
}
