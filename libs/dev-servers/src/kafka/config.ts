// Determines the Kafka brokers for tests. In this folder, only this file reads the environment.

/** Returns the existing brokers in SVC_KAFKA_BROKERS; undefined if tests start their own brokers. */
export function givenBrokers(env: NodeJS.ProcessEnv = process.env): readonly string[] | undefined {
  const brokers = (env['SVC_KAFKA_BROKERS'] ?? '')
    .split(',')
    .map(broker => broker.trim())
    .filter(broker => broker !== '')
  return brokers.length > 0 ? brokers : undefined
}

// The variable contains the path of a socket. All suites of a run connect to the socket to find their shared broker.
const socketVariable = 'TEST_BROKER_SOCKET'

export const sharedBrokerSocket = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[socketVariable]

/** Sets the socket for all processes started afterwards. If `socket` is undefined, processes started afterwards have no shared broker. */
export function tellSharedBroker(socket: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (socket === undefined) delete env[socketVariable]
  else env[socketVariable] = socket
}
