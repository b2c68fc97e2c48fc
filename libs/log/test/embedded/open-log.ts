// Opens an embedded log by its directory alone, for child processes of the tests.
import { openEmbeddedLog } from '../../src/embedded/log.ts'
import type { TopicSpec } from '../../src/port.ts'

export const openLog = (directory: string, topics: readonly TopicSpec[]) => openEmbeddedLog({ directory, topics })
