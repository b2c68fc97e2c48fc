// Media tags in texts, such as `@@@svcMedia:type=image/png|id=…|source=bytes@@@`.
import type { ParsedMediaReference } from '@svc/core'

const begin = '@@@svcMedia:'
const end = '@@@'

export const tagsOf = (text: string): readonly string[] => [...new Set(text.match(/@@@svcMedia:.+?@@@/g) ?? [])]

/** Throws if the text is not a tag. */
export function parseReference(text: string): ParsedMediaReference {
  if (!text.startsWith(begin) || !text.endsWith(end) || text.length < begin.length + end.length) {
    throw new Error(`'${text}' is not a media reference: it is not between ${begin} and ${end}.`)
  }
  const parts = new Map(
    text
      .slice(begin.length, -end.length)
      .split('|')
      .map(part => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)] as const),
  )
  const [contentType, mediaId, source] = [parts.get('type'), parts.get('id'), parts.get('source')]
  if (!contentType || !mediaId || !source) throw new Error(`'${text}' is not a media reference: type, id or source is missing.`)
  return { mediaId, source, contentType }
}
