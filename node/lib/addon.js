// The compiled part of the package.
"use strict";

const { ADDON, findFile } = require("./platform.js");

module.exports = require(findFile(ADDON));
