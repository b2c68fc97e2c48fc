// Replaces media content in attributes with tags. Base64 files would make spans too large to store and read.
import type { AttributeValue } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { getGlobalLogger, SvcMedia } from '@svc/core'
import { aiSdkContents } from './ai-sdk-media.ts'

type MediaField = 'input' | 'output' | 'metadata'

export interface FoundMedia {
  readonly media: SvcMedia
  readonly field: MediaField
}

const prefixes: readonly (readonly [prefix: string, field: MediaField])[] = [
  ['svc.observation.input', 'input'],
  ['svc.observation.output', 'output'],
  ['svc.observation.metadata', 'metadata'],
  ['svc.trace.input', 'input'],
  ['svc.trace.output', 'output'],
  ['svc.trace.metadata', 'metadata'],
]

// The pattern `name` allows no colon, so a match of `dataUri` begins at the `data:` of the URI. An earlier `data:` in the text does not
// belong to the match.
const name = '[a-zA-Z0-9!#$&^_.+-]+'
const dataUri = new RegExp(`data:${name}/${name}(?:;${name}=${name})*;base64,[A-Za-z0-9+/_-]+={0,2}`, 'g')
const mayHoldDataUri = (value: AttributeValue): value is string => typeof value === 'string' && value.includes(';base64,')

const fieldOf = (key: string): MediaField | undefined => prefixes.find(([prefix]) => key.startsWith(prefix))?.[1]

const isAiSdk = (span: ReadableSpan): boolean => ['ai', 'gen_ai'].includes(span.instrumentationScope.name)

/** This function must be fast, because it runs for every span. */
export function mayHoldMedia(span: ReadableSpan): boolean {
  if (isAiSdk(span)) return true
  const { attributes } = span
  for (const key in attributes) if (mayHoldDataUri(attributes[key]!) && fieldOf(key) !== undefined) return true
  return false
}

interface Contents {
  readonly contents: ReadonlyMap<string, SvcMedia>
  /** Encodes texts inside JSON strings. */
  readonly written?: (text: string) => string
}

/** Texts without content stay unchanged. */
async function replaced(text: string, { contents, written = each => each }: Contents): Promise<{ text: string; media: SvcMedia[] }> {
  const tags = new Map<string, string>()
  const media: SvcMedia[] = []
  for (const [content, each] of contents) {
    const tag = await each.getTag()
    if (tag === null) {
      getGlobalLogger().warn('Media stays in its attribute, because the media has no content or no content type.')
      continue
    }
    tags.set(written(content), written(tag))
    media.push(each)
  }
  // The text of one media file can be the beginning of another file's longer text, so longer texts are replaced first.
  const byLength = [...tags].sort(([a], [b]) => b.length - a.length)
  return { text: byLength.reduce((result, [content, tag]) => result.replaceAll(content, tag), text), media }
}

const ofDataUris = (text: string): Map<string, SvcMedia> =>
  new Map(Array.from(text.matchAll(dataUri), ([uri]) => [uri, new SvcMedia({ source: 'base64_data_uri', base64DataUri: uri })]))

/** Returns the media to upload. */
export async function extractMedia(span: ReadableSpan): Promise<FoundMedia[]> {
  const { attributes } = span
  const found: FoundMedia[] = []
  async function replace(key: string, text: string, field: MediaField, contents: Contents): Promise<void> {
    const result = await replaced(text, contents)
    attributes[key] = result.text
    for (const media of result.media) found.push({ media, field })
  }
  for (const key of Object.keys(attributes)) {
    const value = attributes[key]
    const field = fieldOf(key)
    if (field === undefined || value === undefined) continue
    if (typeof value !== 'string') getGlobalLogger().warn(`Media in ${key} is not uploaded: the value is not a string.`)
    else if (mayHoldDataUri(value)) await replace(key, value, field, { contents: ofDataUris(value) })
  }
  if (isAiSdk(span)) {
    // A short base64 content can also occur inside a longer text. The content is therefore replaced only where it is a whole JSON string.
    for (const { key, text, field, contents } of aiSdkContents(attributes)) {
      await replace(key, text, field, { contents, written: JSON.stringify })
    }
  }
  return found
}
