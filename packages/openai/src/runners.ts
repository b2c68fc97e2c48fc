// Records the helpers of the OpenAI client that emit events, such as `chat.completions.stream` and `runTools`.
import type { Recording } from './recording.ts'
import { hasMethod } from './values.ts'

interface Runner {
  readonly errored: boolean
  readonly aborted: boolean
  on(event: string, listener: (value: unknown) => void): unknown
  done(): Promise<void>
}

export function isRunner(value: unknown): value is Runner {
  return hasMethod(value, 'on') && hasMethod(value, 'done') && 'errored' in (value as object)
}

/** Adds no error listener. An error listener would prevent the runner's unhandled rejection, and the application could miss the error. */
export function recordRunner(runner: Runner, recording: Recording): void {
  runner.on('chunk', chunk => recording.chunk(chunk))
  runner.on('event', event => recording.chunk(event))
  runner.on('chatCompletion', reply => recording.completion(reply))
  runner.on('end', () => {
    if (!runner.errored || runner.aborted) recording.finish()
    else
      runner.done().then(
        () => recording.finish(),
        (error: unknown) => recording.failStream(error),
      )
  })
}
