// Only this file of the folder reads the environment.

/** Undefined if tests start their own brokers. */
export function givenBrokers(env: NodeJS.ProcessEnv = process.env): readonly string[] | undefined {
  const brokers = (env['SVC_KAFKA_BROKERS'] ?? '')
    .split(',')
    .map(broker => broker.trim())
    .filter(broker => broker !== '')
  return brokers.length > 0 ? brokers : undefined
}

// The path of the socket to which all suites of a run connect to find their shared broker.
const socketVariable = 'TEST_BROKER_SOCKET'

export const sharedBrokerSocket = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[socketVariable]

/** For all processes started afterwards; undefined: no shared broker. */
export function tellSharedBroker(socket: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (socket === undefined) delete env[socketVariable]
  else env[socketVariable] = socket
}
