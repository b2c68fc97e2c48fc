// Determines which Kafka the tests use. In this folder, only this file reads the environment.

/** Returns the existing brokers that SVC_KAFKA_BROKERS names. Undefined when the tests start their own. */
export function givenBrokers(env: NodeJS.ProcessEnv = process.env): readonly string[] | undefined {
  const brokers = (env['SVC_KAFKA_BROKERS'] ?? '')
    .split(',')
    .map(broker => broker.trim())
    .filter(broker => broker !== '')
  return brokers.length > 0 ? brokers : undefined
}

// Suites of one run connect to a socket to find their shared broker. This variable passes the socket's path to the suites' processes.
const socketVariable = 'TEST_BROKER_SOCKET'

export const sharedBrokerSocket = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[socketVariable]

/** Sets the socket for processes that start after this call. Undefined means that there is no longer a shared broker. */
export function tellSharedBroker(socket: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (socket === undefined) delete env[socketVariable]
  else env[socketVariable] = socket
}
