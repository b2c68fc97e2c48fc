// Which Kafka the tests use. The only file here that reads the environment.

/** Brokers that are there already, from SVC_KAFKA_BROKERS; undefined when the tests start their own. */
export function givenBrokers(env: NodeJS.ProcessEnv = process.env): readonly string[] | undefined {
  const brokers = (env['SVC_KAFKA_BROKERS'] ?? '')
    .split(',')
    .map(broker => broker.trim())
    .filter(broker => broker !== '')
  return brokers.length > 0 ? brokers : undefined
}

// Where suites of one run ask for the broker that they share: a socket, told to the processes of the suites
// by this variable.
const socketVariable = 'TEST_BROKER_SOCKET'

export const sharedBrokerSocket = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[socketVariable]

/** For processes that are started from now on; undefined: there is none any more. */
export function tellSharedBroker(socket: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (socket === undefined) delete env[socketVariable]
  else env[socketVariable] = socket
}
