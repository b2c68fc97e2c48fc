// The module that tests import as fast-check. A normal run draws the same cases each time, so that an unrelated change never fails by
// chance. The nightly run draws new ones. A failed property prints its seed; SVC_TEST_SEED repeats it.
import fc from '../../node_modules/fast-check/lib/fast-check.js'

const asked = process.env['SVC_TEST_SEED']
const isNightly = process.env['SVC_TEST_WHOLE'] === '1'

if (asked !== undefined) fc.configureGlobal({ seed: Number(asked) })
else if (!isNightly) fc.configureGlobal({ seed: 459_600 })

// biome-ignore lint/style/noDefaultExport: it stands in for fast-check.
export default fc
