/** Bundles an app as React Native's command does: `metro.cjs ENTRY BUNDLE`. Metro does not run on Node.js 20. */
const { realpathSync } = require("node:fs");
const { dirname, join } = require("node:path");
const Metro = require("metro");

const [entry, out] = process.argv.slice(2);
const projectRoot = dirname(entry);
const packages = realpathSync(join(projectRoot, "node_modules"));
const runtime = dirname(require.resolve("metro-runtime/package.json"));

async function bundle() {
  const config = await Metro.loadConfig(
    { cwd: projectRoot },
    {
      projectRoot,
      watchFolders: [projectRoot, packages, runtime],
      cacheStores: [],
      reporter: { update: () => undefined },
      resolver: {
        unstable_conditionNames: ["require"],
        unstable_conditionsByPlatform: { ios: ["react-native"] },
        resolverMainFields: ["react-native", "browser", "main"],
        sourceExts: ["js", "cjs", "mjs", "json", "ts"],
      },
      transformer: {
        babelTransformerPath: require.resolve("@react-native/metro-babel-transformer"),
        asyncRequireModulePath: require.resolve("metro-runtime/src/modules/asyncRequire"),
        enableBabelRuntime: false,
      },
    },
  );
  await Metro.runBuild(config, { entry, platform: "ios", minify: true, dev: false, out });
}

bundle().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
