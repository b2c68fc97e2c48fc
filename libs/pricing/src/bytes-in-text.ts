// Finds images, audio and documents in inputs and outputs. A model does not read such media as text. An image of 150 kB counts as a few
// hundred tokens, but its base64 text would count as a hundred thousand.
import { isTextDeeperThan, maxTextLevels, parseJson } from '@svc-server/json'

/** The number of tokens of `other` content is unknown. */
type Kind = 'image' | 'other'

export interface Media {
  images: number
  others: number
}

/**
 * Most texts do not match this pattern. Texts without a match contain no media and need not be parsed. The pattern also matches escaped
 * quotes, which occur in JSON within JSON.
 */
const hint =
  /base64|(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{60}(?:[A-Za-z0-9+/_-]{196}|[A-Za-z0-9+/]{0,40}(?:(?:\s|\\{1,8}[rn]){1,40}[A-Za-z0-9+/]{60,100}){3})|(?:\d{1,3}\s*,\s*){64}|(?:\\x[0-9a-f]{2}[^\\]{0,3}){32}|(?:-?\d\.\d+(?:e-?\d+)?\s*,\s*){16}|"(?:\d+\\*"\s*:\s*\d{1,3}\s*,\s*\\*"){64}|"(?:input_|output_)?(?:image|audio|video|document|file|media|blob|uri|inline_?data|file_?data)(?:_url|_file|Url|-data)?\\*"/i

const dataUri = /data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+=-]+)*;base64,[A-Za-z0-9+/=_%-]*/gi
const run = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{256,}={0,2}/g
/** Matches base64 in lines of equal length, as in MIME and PEM. */
const lines = /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,100}\s{1,40}){4,}(?:[A-Za-z0-9+/]+={0,2}(?![A-Za-z0-9+/]))?/g
const escapedBytes = /(?:\\x[0-9a-f]{2}[^\\]{0,3}){32,}/gi

const isBase64 = (text: string): boolean => /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text)
const wholeBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/

const textMime = /^(?:text\/|application\/(?:json|xml|x-yaml|javascript))/i

/** Undefined for types of text. */
const kindOfMime = (mime: string): Kind | undefined => (textMime.test(mime) ? undefined : /^image\//i.test(mime) ? 'image' : 'other')

const mimeNames = ['media_type', 'mediaType', 'mime_type', 'mimeType', 'mime', 'contentType', 'content_type']
const payloadNames = ['data', 'content', 'bytes', 'base64', 'b64_json', 'url', 'uri', 'file_uri', 'fileUri', 'image', 'audio', 'file']
const imageType = /^(?:input_|output_)?image(?:_url|_file|-data)?$/i
const otherType = /^(?:input_|output_)?(?:audio|video|document|file|media)(?:_url|-data)?$/i

type Members = Readonly<Record<string, unknown>>
const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value)
const fewestNumbers = 64

/** True for a list of bytes, and for a buffer written as an object: `{"0": 137, "1": 80, …}`. */
const isBytes = (value: unknown): boolean => {
  const list = Array.isArray(value) ? value : isMembers(value) && '0' in value ? Object.values(value) : []
  return list.length >= fewestNumbers && list.every(byte => Number.isInteger(byte) && (byte as number) >= 0 && (byte as number) <= 255)
}

/** True for a vector of an embedding. Such a vector is removed, because models neither read nor write it as text. */
const isVector = (value: unknown): boolean =>
  Array.isArray(value) && value.length >= fewestNumbers && value.every(number => typeof number === 'number')

/**
 * Removes encoded media from a text, so that the rest is the text that a model reads. Also returns the removed media. A text without media
 * stays unchanged.
 */
export function withoutBytes(text: string): { readonly text: string; readonly media: Media } {
  const media: Media = { images: 0, others: 0 }
  if (!hint.test(text)) return { text, media }
  const parsed = parsedText(text)
  if (parsed === undefined || typeof parsed !== 'object') return { text: plain(text, media), media }
  const rest = JSON.stringify(walk(parsed, media))
  return { text: rest ?? '', media }
}

function parsedText(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || isTextDeeperThan(text, maxTextLevels)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function count(media: Media, kind: Kind): undefined {
  if (kind === 'image') media.images++
  else media.others++
  return undefined
}

function plain(text: string, media: Media): string {
  return text
    .replace(dataUri, (_, mime: string | undefined) => {
      const kind = mime === undefined ? 'other' : (kindOfMime(mime) ?? 'other')
      count(media, kind)
      return ''
    })
    .replace(run, found => (isBase64(found) ? (count(media, 'other') ?? '') : found))
    .replace(lines, found => (isBase64(found) ? (count(media, 'other') ?? '') : found))
    .replace(escapedBytes, () => count(media, 'other') ?? '')
}

function walk(value: unknown, media: Media): unknown {
  if (typeof value === 'string') return textIn(value, media)
  if (isBytes(value)) return count(media, 'other')
  if (isVector(value)) return undefined
  if (Array.isArray(value)) return value.map(part => walk(part, media)).filter(part => part !== undefined)
  if (!isMembers(value)) return value
  const kind = kindOfPart(value)
  if (kind !== undefined) return count(media, kind)
  const kept: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const inner = isNamedPart(name, member) ? count(media, imageType.test(name) ? 'image' : 'other') : walk(member, media)
    if (inner !== undefined) Object.defineProperty(kept, name, { value: inner, enumerable: true })
  }
  return kept
}

/** JSON within a text is searched, too, because tools return texts with JSON. */
function textIn(text: string, media: Media): string {
  if (!hint.test(text)) return text
  const parsed = parsedText(text)
  if (typeof parsed !== 'object' || parsed === null) return plain(text, media)
  return JSON.stringify(walk(parsed, media)) ?? ''
}

/** True for `{image: {format, source: {bytes}}}` of Bedrock, and for `{b64_json: …}` of OpenAI. */
function isNamedPart(name: string, member: unknown): boolean {
  if (name === 'b64_json' && typeof member === 'string') return true
  return (
    isMembers(member) &&
    typeof member['format'] === 'string' &&
    isMembers(member['source']) &&
    (imageType.test(name) || otherType.test(name))
  )
}

function kindOfPart(part: Members): Kind | undefined {
  const mime = mimeOf(part) ?? (isMembers(part['source']) ? mimeOf(part['source']) : undefined)
  const payload = payloadNames.map(name => part[name]).find(held => typeof held === 'string' || isBytes(held) || isMembers(held))
  if (mime !== undefined) {
    if (payload === undefined && !isMembers(part['source'])) return undefined
    const kind = kindOfMime(mime)
    // A text document in base64 also counts as media, because base64 hides how many letters the document has.
    return kind ?? (typeof payload === 'string' && payload.length >= fewestNumbers && wholeBase64.test(payload) ? 'other' : undefined)
  }
  const type = part['type'] ?? part['modality']
  if (typeof type !== 'string') return part['type'] === undefined && isBytes(part['data']) ? 'other' : undefined
  if (type === 'Buffer' && isBytes(part['data'])) return 'other'
  const source = part['source']
  if (isMembers(source) && (source['type'] === 'text' || source['type'] === 'content')) return undefined
  const holds =
    payload !== undefined || source !== undefined || Object.keys(part).some(name => imageType.test(name) || otherType.test(name))
  if (!holds || (typeof part['text'] === 'string' && payload === undefined)) return undefined
  return imageType.test(type) ? 'image' : otherType.test(type) ? 'other' : undefined
}

function mimeOf(part: Members): string | undefined {
  for (const name of mimeNames) {
    const mime = part[name]
    if (typeof mime === 'string' && mime.includes('/')) return mime
  }
  return undefined
}

/** A typical number of tokens that a provider counts for an image. The real numbers vary from 85 to 5,000. */
const tokensOfImage = 800
/**
 * The tokens of a text with images are estimated only if the text without the images has at least this many tokens for each image. With
 * this minimum, the estimate is wrong by at most a factor of three, even if the images are very small or very large.
 */
const textForImage = 1300

/** Returns the estimated tokens of a text with media. Returns undefined if the estimate could be wrong by more than a factor of three. */
export function withMedia(textTokens: number, { images, others }: Media): number | undefined {
  if (others > 0 || textTokens < textForImage * images) return undefined
  return textTokens + tokensOfImage * images
}
