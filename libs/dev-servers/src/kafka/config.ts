// Determines which Kafka the tests use. No other file in this folder reads the environment.

/** Returns the existing brokers in SVC_KAFKA_BROKERS; undefined if the tests start their own brokers. */
export function givenBrokers(env: NodeJS.ProcessEnv = process.env): readonly string[] | undefined {
  const brokers = (env['SVC_KAFKA_BROKERS'] ?? '')
    .split(',')
    .map(broker => broker.trim())
    .filter(broker => broker !== '')
  return brokers.length > 0 ? brokers : undefined
}

// All suites of a run connect to a socket, by which they find their common broker. With this variable, the processes of the suites get the
// path of the socket.
const socketVariable = 'TEST_BROKER_SOCKET'

export const sharedBrokerSocket = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[socketVariable]

/** Sets the socket for all processes that start afterwards. If `socket` is undefined, there is no common broker any more. */
export function tellSharedBroker(socket: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (socket === undefined) delete env[socketVariable]
  else env[socketVariable] = socket
}
