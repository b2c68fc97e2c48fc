// Where a broker's program comes from: its jars, through Maven. Where that is not possible the tests fail with a sentence that says what
// to do; a suite that passes because it did not run proves nothing.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { lockFile } from '../lock-file.ts'

export const kafkaVersion = '4.3.1'

const run = promisify(execFile)
const cacheDirectory = resolve(import.meta.dirname, '../../../../.cache')
const fetchTimeoutMs = 300_000

/** Kafka's programs on this machine. */
export interface Distribution {
  /** Formats a broker's directory, which holds server.properties. */
  format(directory: string, clusterId: string): Promise<void>
  /** Program and arguments that run a broker in the foreground. */
  broker(directory: string, heapMegabytes: number): readonly string[]
}

const works = async (command: string, ...args: string[]): Promise<boolean> => {
  try {
    await run(command, args, { timeout: 20_000 })
    return true
  } catch {
    return false
  }
}

export async function findDistribution(): Promise<Distribution> {
  if ((await works('java', '-version')) && (await works('mvn', '-version'))) return javaDistribution(await ensureJars())
  throw new Error(
    'A Kafka broker is started with Java 17 or newer and Maven, which are not here: install them (Debian: apt-get install ' +
      'default-jdk-headless maven), or run a broker yourself, for example ' +
      `"docker run --rm -p 9092:9092 apache/kafka:${kafkaVersion}", and set SVC_KAFKA_BROKERS=127.0.0.1:9092.`,
  )
}

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>svc.testkit</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${kafkaVersion}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
`

// The brokers say who starts, stops and loses whom; log4j itself, which comes along, has nothing to add.
const log4j = `<?xml version="1.0" encoding="UTF-8"?>
<Configuration status="off"><Loggers><Root level="off"/></Loggers></Configuration>
`

/** The folder of jars, fetched once into the repository's cache; about 44 MB and 13 s. */
async function ensureJars(): Promise<string> {
  const home = join(cacheDirectory, `kafka-${kafkaVersion}`)
  const mark = join(home, '.complete')
  if (existsSync(mark)) return home
  mkdirSync(cacheDirectory, { recursive: true })
  const release = await lockFile(join(cacheDirectory, 'kafka.lock'), fetchTimeoutMs)
  try {
    if (existsSync(mark)) return home
    // Into a folder of its own first: what an interrupted fetch leaves behind is never taken for the whole.
    const fetching = join(cacheDirectory, `kafka-${kafkaVersion}.fetching`)
    for (const folder of [fetching, home]) rmSync(folder, { recursive: true, force: true })
    mkdirSync(fetching, { recursive: true })
    writeFileSync(join(fetching, 'pom.xml'), pom)
    writeFileSync(join(fetching, 'log4j2.xml'), log4j)
    const args = ['-B', '-q', '-f', 'pom.xml', 'dependency:copy-dependencies', '-DoutputDirectory=libs', '-DincludeScope=runtime']
    await run('mvn', args, { cwd: fetching, timeout: fetchTimeoutMs }).catch((error: Error) => {
      throw new Error(`Maven could not fetch Kafka ${kafkaVersion}; is Maven Central, or a mirror in Maven's settings.xml, reachable?`, {
        cause: error,
      })
    })
    renameSync(fetching, home)
    writeFileSync(mark, '')
    return home
  } finally {
    release()
  }
}

const javaDistribution = (home: string): Distribution => {
  const java = (heapMegabytes: number, ...rest: string[]): string[] => [
    '-Xms96m',
    `-Xmx${heapMegabytes}m`,
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    `-Dlog4j2.configurationFile=${join(home, 'log4j2.xml')}`,
    '-Dorg.slf4j.simpleLogger.showDateTime=true',
    '-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS',
    '-cp',
    join(home, 'libs', '*'),
    ...rest,
  ]
  return {
    async format(directory, clusterId) {
      await run('java', java(96, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', join(directory, 'server.properties')))
    },
    broker: (directory, heapMegabytes) => ['java', ...java(heapMegabytes, 'kafka.Kafka', join(directory, 'server.properties'))],
  }
}
