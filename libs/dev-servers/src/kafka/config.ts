// Determines which Kafka the tests use. No other file in this folder reads the environment.

/** Returns the existing brokers in SVC_KAFKA_BROKERS; undefined if the tests start their own brokers. */
export function givenBrokers(env: NodeJS.ProcessEnv = process.env): readonly string[] | undefined {
  const brokers = (env['SVC_KAFKA_BROKERS'] ?? '')
    .split(',')
    .map(broker => broker.trim())
    .filter(broker => broker !== '')
  return brokers.length > 0 ? brokers : undefined
}

// This variable contains the path of a socket. All suites of a run connect to this socket to find their common broker.
const socketVariable = 'TEST_BROKER_SOCKET'

export const sharedBrokerSocket = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[socketVariable]

/** Sets the socket for all processes that start afterwards. If `socket` is undefined, these processes have no common broker. */
export function tellSharedBroker(socket: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (socket === undefined) delete env[socketVariable]
  else env[socketVariable] = socket
}
