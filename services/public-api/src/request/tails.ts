// Tails: long responses of server-sent events. A tail ends after at most ten minutes, and the browser reconnects.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError, isAppError } from '@svc-server/errors'
import type { FairPlaces } from '@svc-server/fairness/places'
import { type Answer, ClientGone } from '@svc-server/http/bodies'
import type { TailTools } from './handler.ts'

const mostOfOne = 8
const mostAtOnce = 64
const longestMs = 10 * 60_000
/** A client with more unread bytes is disconnected. */
const mostUnsentBytes = 4 * 1024 * 1024

interface Tailing {
  readonly owner: string
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  /** Aborts when the client disconnects. */
  readonly left: AbortSignal
  readonly open: (tools: TailTools) => AsyncGenerator<object, void, undefined>
}

export interface Tails {
  /**
   * If `open` fails before the first event, throws its error. Throws `overloaded` if the owner has too many tails, and `at_capacity` if all
   * owners together have too many tails.
   */
  run(tailing: Tailing): Promise<Answer>
  /** Ends all tails. */
  end(): void
}

const head = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Tells proxies not to buffer the response, because a buffer would delay events.
  'x-accel-buffering': 'no',
}

export function createTails({ reads }: { readonly reads: Pick<FairPlaces, 'run'> }): Tails {
  const owners = new Map<string, number>()
  const ending = new AbortController()

  function admit(owner: string): void {
    if (ending.signal.aborted) throw new AppError('draining', 'The public API is draining.')
    const own = owners.get(owner) ?? 0
    if (own >= mostOfOne)
      throw new AppError('overloaded', `${own} live lists of this project are open; the limit of a project is ${mostOfOne}.`)
    const all = [...owners.values()].reduce((sum, each) => sum + each, 0)
    if (all >= mostAtOnce) throw new AppError('at_capacity', `${all} live lists are open.`)
    owners.set(owner, own + 1)
  }

  function release(owner: string): void {
    const left = (owners.get(owner) ?? 1) - 1
    if (left === 0) owners.delete(owner)
    else owners.set(owner, left)
  }

  async function send({ owner, response, left, open }: Tailing): Promise<void> {
    const signal = AbortSignal.any([left, ending.signal, AbortSignal.timeout(longestMs)])
    const events = open({ signal, turn: work => reads.run(owner, work) })
    try {
      for (let next = await events.next(); !next.done; next = await events.next()) {
        if (!response.headersSent) response.writeHead(200, head)
        response.write(`data: ${JSON.stringify(next.value)}\n\n`)
        if (response.writableLength > mostUnsentBytes) throw new ClientGone()
      }
    } catch (error) {
      // After the first event, an AppError only ends the tail. The browser reconnects, and the new request gets the error as its response.
      const isEnd = signal.aborted || isAppError(error) || error instanceof ClientGone
      if (!response.headersSent || !isEnd) throw error
    } finally {
      await events.return()
    }
  }

  return {
    async run(tailing) {
      admit(tailing.owner)
      try {
        await send(tailing)
      } finally {
        release(tailing.owner)
      }
      tailing.response.end()
      return { status: 200, headers: head, body: '' }
    },
    end: () => ending.abort(),
  }
}
