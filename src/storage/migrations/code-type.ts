import type { Engine } from '../engine.ts'

/**
 * Texts that a machine made (ids, hashes, slugs) compare by their bytes: the same order on both engines, and indexes
 * that survive an update of the system's collations.
 */
export const codeType = (engine: Engine) => (engine === 'postgres' ? 'text collate "C"' : 'text')
