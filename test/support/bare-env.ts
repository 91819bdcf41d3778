const { PATH = '', NODE_COMPILE_CACHE } = process.env

/** For processes that are to have no settings but those of their test. */
export const bareEnv: Readonly<Record<string, string>> = {
  PATH,
  // Where there is one (scripts/test.mjs), they start in half the time.
  ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
}
