// Opens the log in child processes. A child process gets only the path of the directory.
import { openEmbeddedLog } from '../../src/embedded/log.ts'
import type { TopicSpec } from '../../src/port.ts'

export const openLog = (directory: string, topics: readonly TopicSpec[]) => openEmbeddedLog({ directory, topics })
