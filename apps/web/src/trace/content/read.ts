// The result of parsing an input, an output or a metadata value in the worker.
import type { ShownMessage } from './shown-chat.ts'

export type Read =
  | { readonly kind: 'chat'; readonly messages: readonly ShownMessage[] }
  | { readonly kind: 'json' }
  | { readonly kind: 'media'; readonly blob: Blob }
  | { readonly kind: 'text'; readonly text: string }
