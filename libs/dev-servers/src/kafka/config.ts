// No other file in this folder reads the environment.

/** Returns the addresses of existing brokers, or undefined if tests start their own brokers. */
export function givenBrokers(env: NodeJS.ProcessEnv = process.env): readonly string[] | undefined {
  const brokers = (env['SVC_KAFKA_BROKERS'] ?? '')
    .split(',')
    .map(broker => broker.trim())
    .filter(broker => broker !== '')
  return brokers.length > 0 ? brokers : undefined
}

// Path of a socket. All suites of a run find their shared broker through this socket.
const socketVariable = 'TEST_BROKER_SOCKET'

export const sharedBrokerSocket = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[socketVariable]

/** Sets the path of the socket for all processes that start later. If `socket` is undefined, these processes have no shared broker. */
export function tellSharedBroker(socket: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (socket === undefined) delete env[socketVariable]
  else env[socketVariable] = socket
}
