// All suites of a test run share a server. The process that runs the suites starts the server when any suite first asks for the server's
// address. The server ends with this process.
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { temporaryDirectory } from './temporary-directory.ts'

type Answer<Address> = { readonly address: Address } | { readonly error: string }

interface SharedServer {
  /** The suites ask for the server's address through this socket. */
  readonly socket: string
  /** Stops the server if it has been started, that is, if a suite has asked for its address. */
  close(): Promise<void>
}

interface Started<Address> {
  /** The address must be a JSON value, because it is sent to the suites as JSON. */
  readonly address: Address
  stop(): Promise<void>
}

/** Waits for requests of suites, and starts the server at the first request. */
async function serveShared<Address>(start: () => Promise<Started<Address>>): Promise<SharedServer> {
  const directory = await temporaryDirectory('svc-shared-')
  const socket = join(directory.path, 'socket')
  let starting: Promise<Started<Address>> | undefined
  const server: Server = createServer({ allowHalfOpen: true }, connection => {
    connection.resume()
    starting ??= start()
    const answered = starting.then(
      ({ address }): Answer<Address> => ({ address }),
      (error: Error): Answer<Address> => ({ error: error.message }),
    )
    void answered.then(answer => connection.end(JSON.stringify(answer)))
    connection.on('error', () => {})
  })
  await new Promise<void>(listening => server.listen(socket, listening))
  server.unref()
  return {
    socket,
    async close() {
      server.close()
      const started = await starting?.catch(() => undefined)
      await started?.stop()
      await directory.remove()
    },
  }
}

interface SharedInRun<Address> {
  /** The socket of the run's server, or undefined if the run has none. */
  readonly socketOfRun: () => string | undefined
  /** Sets the socket for all processes that start later. */
  readonly tell: (socket: string | undefined) => void
  readonly start: () => Promise<Started<Address>>
}

/** Returns the two functions that Vitest calls before the first suite and after the last suite. */
export function sharedInRun<Address>({ socketOfRun, tell, start }: SharedInRun<Address>) {
  let served: SharedServer | undefined
  return {
    async setup(): Promise<void> {
      // Vitest calls this function once per project of a run. Only the first call has an effect.
      if (socketOfRun() !== undefined) return
      served = await serveShared(start)
      tell(served.socket)
    },
    async teardown(): Promise<void> {
      if (served === undefined) return
      tell(undefined)
      await served.close()
    },
  }
}

/** Resolves with the address of the shared server. If the server cannot start, rejects with the error of the start. */
export async function addressOfShared<Address>(socket: string): Promise<Address> {
  const answer = JSON.parse(await text(connect(socket))) as Answer<Address>
  if ('error' in answer) throw new Error(answer.error)
  return answer.address
}
