import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { lockFile } from '../lock-file.ts'

export const kafkaVersion = '4.3.1'

const run = promisify(execFile)
const cacheDirectory = resolve(import.meta.dirname, '../../../../.cache')
const home = join(cacheDirectory, `kafka-${kafkaVersion}`)
/** The download writes this file as its last step. */
const complete = join(home, '.complete')
const fetchTimeoutMs = 300_000

export interface Distribution {
  /** The directory must already contain server.properties. */
  format(directory: string, clusterId: string, more?: readonly string[]): Promise<void>
  broker(directory: string, heapMegabytes: number): readonly string[]
}

/** Resolves with the output of the program, or with null if the program is not installed. */
const versionOf = async (command: string, ...args: string[]): Promise<string | null> => {
  try {
    const { stdout, stderr } = await run(command, args, { timeout: 20_000 })
    return `${stdout}${stderr}`
  } catch {
    return null
  }
}

/**
 * For `openjdk version "17.0.15" 2025-04-15`, returns 17. For Java 8 (`"1.8.0_422"`), returns 1 instead of 8. Both numbers are below
 * `oldestJava`.
 */
export const majorVersion = (said: string): number => Number(/version "(\d+)/.exec(said)?.[1] ?? 0)

const oldestJava = 17

export async function canRunBrokers(): Promise<boolean> {
  const java = await versionOf('java', '-version')
  return java !== null && majorVersion(java) >= oldestJava && (existsSync(complete) || (await versionOf('mvn', '-version')) !== null)
}

export async function openDistribution(): Promise<Distribution> {
  await ensureJars()
  return javaDistribution()
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

// The log configuration of a broker. slf4j-simple prints the broker's messages, so log4j's own messages are turned off.
const log4j = `<?xml version="1.0" encoding="UTF-8"?>
<Configuration status="off"><Loggers><Root level="off"/></Loggers></Configuration>
`

/** Throws if the name or checksum of a jar differs from `jars.sha256`. */
export function checkJars(folder: string): void {
  const pinned = readFileSync(new URL('./jars.sha256', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .sort()
  const found = readdirSync(folder)
    .map(
      name =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}`,
    )
    .sort()
  const wrong = [...found.filter(line => !pinned.includes(line)), ...pinned.filter(line => !found.includes(line))]
  if (wrong.length > 0) throw new Error(`Kafka's jars are not those of libs/dev-servers/src/kafka/jars.sha256:\n${wrong.join('\n')}`)
}

/** Downloads the jars if they are missing. The download is about 44 MB and takes 13 s. */
async function ensureJars(): Promise<void> {
  if (existsSync(complete)) return
  mkdirSync(cacheDirectory, { recursive: true })
  const release = await lockFile(join(cacheDirectory, 'kafka.lock'), fetchTimeoutMs)
  try {
    if (existsSync(complete)) return
    // The download uses a separate folder, because an interrupted download must never look complete.
    const fetching = join(cacheDirectory, `kafka-${kafkaVersion}.fetching`)
    for (const folder of [fetching, home]) rmSync(folder, { recursive: true, force: true })
    mkdirSync(fetching, { recursive: true })
    writeFileSync(join(fetching, 'pom.xml'), pom)
    writeFileSync(join(fetching, 'log4j2.xml'), log4j)
    const args = ['-B', '-q', '-f', 'pom.xml', 'dependency:copy-dependencies', '-DoutputDirectory=libs', '-DincludeScope=runtime']
    await run('mvn', args, { cwd: fetching, timeout: fetchTimeoutMs }).catch((error: Error) => {
      throw new Error(
        `Maven could not fetch Kafka ${kafkaVersion}. Check that Maven Central, or a mirror in Maven's settings.xml, is reachable.`,
        {
          cause: error,
        },
      )
    })
    checkJars(join(fetching, 'libs'))
    renameSync(fetching, home)
    writeFileSync(complete, '')
  } finally {
    release()
  }
}

function javaDistribution(): Distribution {
  // Archive of classes that Java has loaded and verified. The first call of `format` writes the archive. With the archive, a broker's start
  // needs a third less CPU time. If the archive is missing or was written by a different version of Java, Java starts without the archive.
  const classes = join(home, 'classes.jsa')
  const withClasses = `-XX:SharedArchiveFile=${classes}`
  const java = (archive: string, heapMegabytes: number, ...rest: string[]): string[] => [
    archive,
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
    async format(directory, clusterId, more = []) {
      const properties = join(directory, 'server.properties')
      const written = existsSync(classes) ? null : `${classes}.${randomUUID()}`
      const archive = written === null ? withClasses : `-XX:ArchiveClassesAtExit=${written}`
      await run('java', java(archive, 96, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', properties, ...more))
      if (written !== null && existsSync(written)) renameSync(written, classes)
    },
    broker: (directory, heapMegabytes) => [
      'java',
      ...java(withClasses, heapMegabytes, 'kafka.Kafka', join(directory, 'server.properties')),
    ],
  }
}
