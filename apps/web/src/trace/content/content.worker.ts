// Parses long contents outside the main thread.
import { blobOf } from './blob.ts'
import { parseExact } from './exact.ts'
import type { Read } from './read.ts'
import { shownChatOf } from './shown-chat.ts'

function read(text: string): Read {
  if (text.startsWith('data:')) {
    const blob = blobOf(text)
    return blob === undefined ? { kind: 'text', text } : { kind: 'media', blob }
  }
  const messages = shownChatOf(parseExact(text))
  return messages === undefined ? { kind: 'json' } : { kind: 'chat', messages }
}

addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(read(data)))
