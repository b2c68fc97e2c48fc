// Runs a request from start to end, in any service and protocol. An error affects only the request in which it occurs.
import { performance } from 'node:perf_hooks'
import { ClientGone } from '../bodies/read-body.ts'

interface Request<Answer> {
  /** Rejects with ClientGone if the client has disconnected. Any other error is a refusal or a defect. */
  answer(): Promise<Answer>
  /** Called if `answer` throws. Returns the response to send for the error. Returns undefined if the client has disconnected. */
  refusal(error: unknown): Answer | undefined
  /** An asynchronous `send` resolves when all bytes are sent. */
  send(answer: Answer): Promise<void> | void
  /** Called if no response is possible. */
  abort(): void
  /** Called once, after the response. `answer` is undefined if there was no response. */
  over(answer: Answer | undefined, seconds: number): void
  /** Called if `send` or `refusal` throws an error. The request is then aborted. */
  unanswered(error: unknown): void
}

export interface Requests {
  readonly inflight: number
  run<Answer>(request: Request<Answer>): void
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
