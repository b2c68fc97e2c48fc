// The form of a content after parsing in the worker.
import type { ShownMessage } from './shown-chat.ts'

export type Read =
  | { readonly kind: 'chat'; readonly messages: readonly ShownMessage[] }
  | { readonly kind: 'json' }
  | { readonly kind: 'media'; readonly blob: Blob }
  | { readonly kind: 'text'; readonly text: string }
