// Limits the memory of responses that clients do not read. At the limit, the API finds the owner whose responses have the most
// unread bytes, and cuts the connection of this owner's oldest response.
import type { ServerResponse } from 'node:http'

export interface UnreadAnswersOptions {
  readonly maxBytes: number
  readonly timeoutMs: number
}

export interface UnreadAnswers {
  readonly bytes: number
  /**
   * Call this after the whole response has been written, even if the client has not read it yet. If other responses need the memory of this
   * response, the API cuts the connection of this response.
   */
  add(owner: string, response: ServerResponse): void
}

interface Unread {
  readonly response: ServerResponse
  readonly bytes: number
}

interface Share {
  bytes: number
  /** The unread responses, oldest first. */
  readonly answers: Set<Unread>
}

export function createUnreadAnswers({ maxBytes, timeoutMs }: UnreadAnswersOptions): UnreadAnswers {
  const shares = new Map<string, Share>()
  let bytes = 0

  function forget(owner: string, share: Share, unread: Unread): void {
    if (!share.answers.delete(unread)) return
    share.bytes -= unread.bytes
    bytes -= unread.bytes
    if (share.answers.size === 0) shares.delete(owner)
  }

  function cutOne(): void {
    const [owner, share] = [...shares].reduce((most, each) => (each[1].bytes > most[1].bytes ? each : most))
    const [oldest] = share.answers
    forget(owner, share, oldest!)
    oldest!.response.destroy()
  }

  return {
    get bytes() {
      return bytes
    },
    add(owner, response) {
      const unread = { response, bytes: response.writableLength }
      if (unread.bytes === 0 || response.destroyed) return
      const share = shares.get(owner) ?? { bytes: 0, answers: new Set() }
      shares.set(owner, share)
      share.answers.add(unread)
      share.bytes += unread.bytes
      bytes += unread.bytes
      const timer = setTimeout(() => response.destroy(), timeoutMs)
      // The event `close` fires after the last byte, or when the connection breaks.
      response.once('close', () => {
        clearTimeout(timer)
        forget(owner, share, unread)
      })
      while (bytes > maxBytes) cutOne()
    },
  }
}
