// Converts chat messages to a form that a worker can send to the page.
import { blobOf } from './blob.ts'
import { chatOf, type Part } from './chat.ts'
import { isRecord, writeExact } from './exact.ts'

/** Undefined if empty. */
export type Said = string | { readonly json: string } | undefined

export type ShownPart =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly said: Said }
  | { readonly kind: 'result'; readonly id: string; readonly name: string; readonly said: Said }
  | { readonly kind: 'media'; readonly mime: string; readonly source: string | Blob }
  | { readonly kind: 'other'; readonly said: Said }

export interface ShownMessage {
  readonly role: string
  readonly parts: readonly ShownPart[]
  readonly finish: string | undefined
}

function saidOf(value: unknown): Said {
  if (typeof value === 'string') return value
  const isEmpty = value === null || value === undefined || (isRecord(value) && Object.keys(value).length === 0)
  return isEmpty ? undefined : { json: writeExact(value) }
}

function shownPart(part: Part): ShownPart {
  switch (part.kind) {
    case 'call':
      return { kind: 'call', id: part.id, name: part.name, said: saidOf(part.arguments) }
    case 'result':
      return { kind: 'result', id: part.id, name: part.name, said: saidOf(part.content) }
    case 'media':
      return { ...part, source: blobOf(part.source) ?? part.source }
    case 'other':
      return { kind: 'other', said: saidOf(part.value) }
    default:
      return part
  }
}

/** Returns undefined if the content is not a chat. */
export const shownChatOf = (value: unknown): readonly ShownMessage[] | undefined =>
  chatOf(value)?.map(({ role, parts, finish }) => ({ role, finish, parts: parts.map(shownPart) }))

/** False if the text cannot be a chat. Most long JSON texts are not chats, so this test saves parsing them. */
export const mayBeChat = (text: string): boolean =>
  /"(?:role|messages|contents|choices|candidates|generations|parts)"\s*:/.test(text.slice(0, 4_000))
