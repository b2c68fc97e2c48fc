// Opens an embedded log for child processes of the tests, which get only its directory.
import { openEmbeddedLog } from '../../src/embedded/log.ts'
import type { TopicSpec } from '../../src/port.ts'

export const openLog = (directory: string, topics: readonly TopicSpec[]) => openEmbeddedLog({ directory, topics })
