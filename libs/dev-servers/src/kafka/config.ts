// Which Kafka the tests use. The only file here that reads the environment.

/** Brokers that are there already, from SVC_KAFKA_BROKERS; undefined when the tests start their own. */
export function givenBrokers(env: NodeJS.ProcessEnv = process.env): readonly string[] | undefined {
  const brokers = (env['SVC_KAFKA_BROKERS'] ?? '')
    .split(',')
    .map(broker => broker.trim())
    .filter(broker => broker !== '')
  return brokers.length > 0 ? brokers : undefined
}

/** Variable with the socket where suites of one run ask for the broker that they share. */
export const sharedBrokerVariable = 'TEST_BROKER_SOCKET'

export const sharedBrokerSocket = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[sharedBrokerVariable]
