// The life of a request, whatever service and protocol it is of: counted while it runs, answered or refused, measured once it is over. What is
// thrown costs its request and nothing else.
import { performance } from 'node:perf_hooks'
import { ClientGone } from '../bodies/read-body.ts'

interface Request<Answer> {
  /** Rejects with what refuses the request, ClientGone where nobody waits any more, or a defect. */
  answer(): Promise<Answer>
  /** The answer to what `answer` was rejected with, never ClientGone; undefined when nobody waits for one. */
  refusal(error: unknown): Answer | undefined
  /** Resolves when nothing of it is left to be sent, where that takes a while. */
  send(answer: Answer): Promise<void> | void
  /** No answer is possible. */
  abort(): void
  /** Called once, after the answer was handed over; undefined: there was none. */
  over(answer: Answer | undefined, seconds: number): void
  /** Called with what `send` or `refusal` threw: the request is aborted. */
  unanswered(error: unknown): void
}

export interface Requests {
  readonly inflight: number
  run<Answer>(request: Request<Answer>): void
  /** Resolves once none is running. */
  idle(): Promise<void>
}

export function createRequests(): Requests {
  const waiting: (() => void)[] = []
  let inflight = 0

  async function finish<Answer>(answer: Answer | undefined, request: Request<Answer>, startedMs: number): Promise<void> {
    try {
      if (answer === undefined) request.abort()
      else await request.send(answer)
    } finally {
      inflight--
    }
    request.over(answer, (performance.now() - startedMs) / 1000)
    if (inflight === 0) for (const resolve of waiting.splice(0)) resolve()
  }

  return {
    get inflight() {
      return inflight
    },
    run(request) {
      const startedMs = performance.now()
      inflight++
      request
        .answer()
        .catch((error: unknown) => (error instanceof ClientGone ? undefined : request.refusal(error)))
        .then(answer => finish(answer, request, startedMs))
        .catch((error: unknown) => {
          request.unanswered(error)
          request.abort()
        })
    },
    async idle() {
      if (inflight > 0) await new Promise<void>(resolve => waiting.push(resolve))
    },
  }
}
