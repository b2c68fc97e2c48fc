// Opens the log in child processes. The test passes the path of the log's directory to the child process.
import { openEmbeddedLog } from '../../src/embedded/log.ts'
import type { TopicSpec } from '../../src/port.ts'

export const openLog = (directory: string, topics: readonly TopicSpec[]) => openEmbeddedLog({ directory, topics })
