import { conformance, owning } from '../conformance/index.ts'
import { embedded } from './adapter.ts'

conformance(embedded)
owning(embedded)
