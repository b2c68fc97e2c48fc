// An input, output or metadata text, in the form to which the worker has parsed it.
import type { ShownMessage } from './shown-chat.ts'

export type Read =
  | { readonly kind: 'chat'; readonly messages: readonly ShownMessage[] }
  | { readonly kind: 'json' }
  | { readonly kind: 'media'; readonly blob: Blob }
  | { readonly kind: 'text'; readonly text: string }
