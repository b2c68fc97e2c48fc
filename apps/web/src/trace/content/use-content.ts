// Recognizes whether a text is a chat, other JSON, media in a data URI, or plain text.
import { useEffect, useMemo, useState } from 'react'
import { startWorker } from '../../trusted/policy.ts'
import workerUrl from './content.worker.ts?worker&url'
import { parseExact } from './exact.ts'
import type { Read } from './read.ts'
import { mayBeChat, shownChatOf } from './shown-chat.ts'

const shortText = 100_000

type Content = Read | { readonly kind: 'reading' } | { readonly kind: 'partOfMedia' }

function readShort(text: string): Read {
  const value = parseExact(text)
  const messages = shownChatOf(value)
  if (messages !== undefined) return { kind: 'chat', messages }
  if (typeof value === 'string') return { kind: 'text', text: value }
  return typeof value === 'object' && value !== null ? { kind: 'json' } : { kind: 'text', text }
}

const startsAsJson = (text: string) => /^\s*[[{]/.test(text.slice(0, 200))
const isDataUri = (text: string) => /^data:[^,]{0,200};base64,/.test(text.slice(0, 300))

export function useContent(text: string, isCut: boolean): Content {
  const atOnce = useMemo((): Content | undefined => {
    if (isDataUri(text)) return isCut ? { kind: 'partOfMedia' } : undefined
    if (text.length <= shortText) return readShort(text)
    if (!startsAsJson(text)) return { kind: 'text', text }
    return mayBeChat(text) ? undefined : { kind: 'json' }
  }, [text, isCut])
  const [read, setRead] = useState<{ readonly of: string; readonly content: Read } | undefined>(undefined)
  useEffect(() => {
    if (atOnce !== undefined) return
    const worker = startWorker(workerUrl)
    worker.onmessage = ({ data }: MessageEvent<Read>) => {
      setRead({ of: text, content: data })
      worker.terminate()
    }
    worker.postMessage(text)
    return () => worker.terminate()
  }, [atOnce, text])
  return atOnce ?? (read?.of === text ? read.content : { kind: 'reading' })
}
